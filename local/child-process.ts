import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { z } from 'zod';
import { dismissWatcher, startWatcher } from './death-watcher.ts';
import { LocalStackError } from './failure.ts';
import { processStartTime, sendSignal } from './process-identity.ts';

/** Options shared by all functions that start a part of the stack. */
export interface ChildOptions {
  log: (line: string) => void;
  onSpawn?: OnSpawn | undefined;
  signal?: AbortSignal | undefined;
}

export interface ChildProcessOptions extends ChildOptions {
  name: string;
  command: string;
  args: readonly string[];
  /** The complete environment: the child inherits nothing, so none of our secrets leak into it. */
  environment: Record<string, string>;
  workingDirectory?: string;
  user?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
  /** From `stopSignal` to SIGKILL. Default 10 s. */
  stopTimeoutMs?: number;
  /** Identifies the running child, so that the next start can find a leftover one. */
  pidFile?: string;
}

export type OnSpawn = (child: Pick<RunningChild, 'pid' | 'exited'>) => void;

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  requested: boolean;
  lastLines: readonly string[];
}

/** The reason why a Go program ended; a stack trace follows it. */
export const panicIn = (lines: readonly string[]): string | undefined =>
  lines.find((line) => /^(?:panic|fatal error): /.test(line));

export interface RunningChild {
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

const keptLines = 60;
const longestLine = 16_384;
/** After SIGKILL a process is gone within milliseconds; in a container without `init` it stays as a zombie. */
const longestGroupEndMs = 1_000;

/**
 * Starts a program that must not outlive this process. Its own process group shields it from Ctrl-C in the terminal
 * until the orderly stop; a watcher ends it when this process dies, even by SIGKILL.
 * @throws LocalStackError when the program can't be started
 */
export async function startChildProcess(options: ChildProcessOptions): Promise<RunningChild> {
  options.signal?.throwIfAborted();
  const { stopSignal = 'SIGTERM', stopTimeoutMs = 10_000 } = options;
  const child = execa(options.command, options.args, {
    ...(options.workingDirectory !== undefined && { cwd: options.workingDirectory }),
    env: options.environment,
    extendEnv: false,
    killDescendants: true,
    killSignal: stopSignal,
    forceKillAfterDelay: stopTimeoutMs,
    cleanup: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    ...options.user,
  });
  const { pid } = child;
  if (pid === undefined) {
    const { originalMessage = 'unknown error' } = await child;
    throw new LocalStackError(
      `${options.name} could not be started from ${options.command}: ${originalMessage}.`,
    );
  }
  const lastLines: string[] = [];
  for (const from of ['stdout', 'stderr'] as const) {
    void collectLines(child.iterable({ from }), lastLines, options.log);
  }
  const watcher = startWatcher(pid, stopSignal, stopTimeoutMs);
  if (options.pidFile !== undefined) writePidFile(options.pidFile, pid);

  let requested = false;
  const exited = new Promise<ChildExit>((resolve) => {
    child.nodeChildProcess.once('exit', (code, signal) => {
      // Output may still arrive, or a descendant may hold the pipe open: wait briefly.
      const finish = async () => {
        await endGroup(pid);
        await dismissWatcher(watcher);
        if (options.pidFile !== undefined) rmSync(options.pidFile, { force: true });
        resolve({ code, signal, requested, lastLines });
      };
      const timer = setTimeout(() => void finish(), 250);
      child.nodeChildProcess.once('close', () => {
        clearTimeout(timer);
        void finish();
      });
    });
  });

  options.onSpawn?.({ pid, exited });

  async function stop(): Promise<void> {
    requested = true;
    child.kill();
    await exited;
  }

  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  if (options.signal?.aborted) await stop();
  return { pid, exited, stop };
}

async function endGroup(leader: number): Promise<void> {
  const deadline = Date.now() + longestGroupEndMs;
  // A zombie still accepts signals, so this loop needs a deadline.
  while (sendSignal(-leader, 'SIGKILL') && Date.now() < deadline) await delay(5);
}

async function collectLines(
  lines: AsyncIterable<string>,
  lastLines: string[],
  log: (line: string) => void,
): Promise<void> {
  for await (const line of lines) {
    if (line === '') continue;
    const bounded = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
    lastLines.push(bounded);
    // A trace of any length follows the reason of a panic, which is kept.
    if (lastLines.length > keptLines)
      lastLines.splice(panicIn(lastLines.slice(0, 1)) === undefined ? 0 : 1, 1);
    log(bounded);
  }
}

const pidFileSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

function writePidFile(path: string, pid: number): void {
  const startedAt = processStartTime(pid);
  if (startedAt !== undefined) writeFileSync(path, JSON.stringify({ pid, startedAt }), { mode: 0o600 });
}

export async function stopLeftoverChild(pidFile: string, timeoutMs = 15_000): Promise<void> {
  const left = readPidFile(pidFile);
  if (left !== undefined) {
    const gone = () => processStartTime(left.pid) !== left.startedAt;
    await endProcess(gone, (signal) => sendSignal(-left.pid, signal), 'SIGTERM', timeoutMs);
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
      throw new LocalStackError('A process of an earlier run could not be killed. Restart the machine.');
    }
    await delay(25);
  }
}
