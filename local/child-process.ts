import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { LocalStackError } from './failure.ts';
import { processStartTime, sendSignal } from './process-identity.ts';

export interface ChildProcessOptions {
  /** What it is to the user, such as `Postgres`; used in messages. */
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment of the child; nothing is inherited, so no secret of ours reaches it by accident. */
  environment: Record<string, string>;
  workingDirectory?: string;
  user?: { uid: number; gid: number };
  /** Takes each line that the child writes to either output. */
  log: (line: string) => void;
  /** What asks the child to end; default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** Time between the request to end and SIGKILL; default 10 s. */
  stopTimeoutMs?: number;
  /** File that names the running child, so that the next start finds one that was left behind. */
  pidFile?: string;
  /** Stops the child when it fires. */
  signal?: AbortSignal | undefined;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether we asked for it. */
  requested: boolean;
  /** The last lines of its output, oldest first. */
  lastLines: readonly string[];
}

/** A running child in a process group of its own. */
export interface RunningChild {
  readonly pid: number;
  /** Settles when the child has ended, for whatever reason; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Ends the child and whatever it has started in its group; resolves when it is gone. */
  stop(): Promise<void>;
}

const keptLines = 20;
const longestLine = 16_384;
/** A process that got SIGKILL is gone in milliseconds; in a container without `init` it stays as a zombie. */
const longestGroupEndMs = 1_000;

/**
 * Starts a program that must not outlive us. It gets a process group of its own, so that Ctrl-C in the terminal
 * doesn't reach it before we have stopped in order, and a watcher that ends it when this process dies, even by
 * SIGKILL.
 *
 * @throws LocalStackError when the program can't be started at all.
 */
export async function startChildProcess(options: ChildProcessOptions): Promise<RunningChild> {
  options.signal?.throwIfAborted();
  const { stopSignal = 'SIGTERM', stopTimeoutMs = 10_000 } = options;
  const child = spawn(options.command, options.args, {
    cwd: options.workingDirectory,
    env: options.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.user,
  });
  const lastLines = collectLines(child, options.log);
  const pid = await spawned(child, options);
  const watcher = startWatcher(pid, stopSignal, stopTimeoutMs);
  if (options.pidFile !== undefined) writePidFile(options.pidFile, pid);

  let requested = false;
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => {
      // Output may still be on its way, or be held open by a descendant: wait a moment for the end, no longer.
      const finish = async () => {
        await endGroup(pid);
        await dismissWatcher(watcher);
        if (options.pidFile !== undefined) rmSync(options.pidFile, { force: true });
        resolve({ code, signal, requested, lastLines });
      };
      const timer = setTimeout(() => void finish(), 250);
      child.once('close', () => {
        clearTimeout(timer);
        void finish();
      });
    });
  });

  async function stop(): Promise<void> {
    requested = true;
    if (child.exitCode === null && child.signalCode === null) {
      sendSignal(-pid, stopSignal);
      const timer = setTimeout(() => sendSignal(-pid, 'SIGKILL'), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
    }
    await exited;
  }

  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  if (options.signal?.aborted) await stop();
  return { pid, exited, stop };
}

/** Ends what a program has started and not ended itself. */
async function endGroup(leader: number): Promise<void> {
  const deadline = Date.now() + longestGroupEndMs;
  // Also a dead member that nobody has collected yet can be signalled.
  while (sendSignal(-leader, 'SIGKILL') && Date.now() < deadline) await delay(5);
}

function spawned(child: ChildProcess, options: ChildProcessOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new LocalStackError(
          `${options.name} could not be started from ${options.command}: ${error.message}.`,
          {
            cause: error,
          },
        ),
      ),
    );
    child.once('spawn', () => {
      if (child.pid === undefined) reject(new Error('a spawned process has an id'));
      else resolve(child.pid);
    });
  });
}

function collectLines(child: ChildProcess, log: (line: string) => void): string[] {
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    const take = (line: string) => {
      if (line === '') return;
      const bounded = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
      lastLines.push(bounded);
      if (lastLines.length > keptLines) lastLines.shift();
      log(bounded);
    };
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) rest = rest.slice(0, longestLine + 1);
      for (const line of lines) take(line);
    });
    stream?.on('end', () => take(rest));
  }
  return lastLines;
}

/**
 * A shell that waits at the end of a pipe which only this process holds open. `read` returns when we are gone,
 * and then the shell ends the child's group in our place. It costs about a megabyte and works the same on Linux
 * and macOS, where Node offers no parent-death signal.
 */
const watcherScript = `
trap '' INT TERM HUP
read -r nothing
kill -s "$2" -- "-$1" 2>/dev/null
waited=0
while kill -s 0 -- "-$1" 2>/dev/null; do
  if [ "$waited" -ge "$3" ]; then kill -s KILL -- "-$1" 2>/dev/null; exit; fi
  sleep 1
  waited=$((waited + 1))
done
`;

function startWatcher(pid: number, stopSignal: NodeJS.Signals, stopTimeoutMs: number): ChildProcess {
  const args = [String(pid), stopSignal.replace(/^SIG/, ''), String(Math.ceil(stopTimeoutMs / 1000))];
  const watcher = spawn('/bin/sh', ['-c', watcherScript, 'posthaste-watcher', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  watcher.unref();
  // Without a shell nothing watches; the next start still finds what was left behind.
  watcher.on('error', () => undefined);
  watcher.stdin?.on('error', () => undefined);
  return watcher;
}

function dismissWatcher(watcher: ChildProcess): Promise<void> {
  if (watcher.pid === undefined || watcher.exitCode !== null || watcher.signalCode !== null) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    watcher.once('exit', () => resolve());
    // From now on someone waits for it, perhaps with nothing else to do.
    watcher.ref();
    watcher.kill('SIGKILL');
  });
}

const pidFileSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

function writePidFile(path: string, pid: number): void {
  const startedAt = processStartTime(pid);
  if (startedAt !== undefined) writeFileSync(path, JSON.stringify({ pid, startedAt }), { mode: 0o600 });
}

/**
 * Ends the child that an earlier run left behind, if the file that names it still names the same process.
 * Resolves when it is gone.
 */
export async function stopLeftoverChild(
  pidFile: string,
  { stopSignal = 'SIGTERM', timeoutMs = 15_000 }: { stopSignal?: NodeJS.Signals; timeoutMs?: number } = {},
): Promise<void> {
  const left = readPidFile(pidFile);
  if (left !== undefined) {
    const gone = () => processStartTime(left.pid) !== left.startedAt;
    await endProcess(gone, (signal) => sendSignal(-left.pid, signal), stopSignal, timeoutMs);
  }
  rmSync(pidFile, { force: true });
}

function readPidFile(path: string): z.output<typeof pidFileSchema> | undefined {
  try {
    return pidFileSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Asks a process that is not our child to end and waits for it, by force when the time is over. */
export async function endProcess(
  gone: () => boolean,
  send: (signal: NodeJS.Signals) => void,
  stopSignal: NodeJS.Signals,
  timeoutMs: number,
): Promise<void> {
  if (gone()) return;
  send(stopSignal);
  const deadline = Date.now() + timeoutMs;
  let forced = false;
  while (!gone()) {
    if (!forced && Date.now() > deadline) {
      forced = true;
      send('SIGKILL');
    }
    if (Date.now() > deadline + 10_000) {
      throw new LocalStackError(
        'A process of an earlier run does not end, not even by force. Restart the machine.',
      );
    }
    await delay(25);
  }
}
