import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dismissWatcher, startWatcher } from '../local/death-watcher.ts';
import { sendSignal } from '../local/process-identity.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const compileCache = join(root, '.cache/node');
const startTimeoutMs = 180_000;
const stopTimeoutMs = 15_000;

export interface ProcessOptions {
  entry: string;
  environment: Record<string, string>;
  probe: string;
  logFile: string;
}

export interface BenchProcess {
  pid: number;
  stop(): Promise<void>;
}

/** Passes `BENCH_NODE_OPTIONS` on, for profilers. */
export async function startBenchProcess(options: ProcessOptions): Promise<BenchProcess> {
  const log = openSync(options.logFile, 'a');
  const profiling = process.env.BENCH_NODE_OPTIONS;
  const child = spawn(process.execPath, [options.entry], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // As in `npm start`.
      NODE_COMPILE_CACHE: compileCache,
      ...(profiling === undefined ? {} : { NODE_OPTIONS: profiling }),
      ...options.environment,
    },
    // Its own group: Ctrl-C reaches it through us, and the watcher ends it when we are killed.
    detached: true,
    stdio: ['ignore', log, log],
  });
  const pid = child.pid ?? 0;
  const watcher = startWatcher(pid, 'SIGTERM', stopTimeoutMs);
  const exited = once(child, 'exit');
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!isGone()) {
      child.kill('SIGTERM');
      await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })]);
      sendSignal(-pid, 'SIGKILL');
      await exited;
    }
    await dismissWatcher(watcher);
  };
  const deadline = Date.now() + startTimeoutMs;
  while (!(await answers(options.probe))) {
    if (isGone() || Date.now() > deadline) {
      await stop();
      const said = readFileSync(options.logFile, 'utf8').slice(-2_000);
      throw new Error(`${options.entry} does not answer at ${options.probe}:\n${said}`);
    }
    await delay(50);
  }
  return { pid, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

const clockTicksPerSecond = 100;

/** The numbers after the name in `/proc/<pid>/stat`, starting with field 4 of proc(5). */
function statOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 4)
    .split(' ')
    .map(Number);
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/**
 * CPU seconds used so far by a process and its children, including ended ones. Unlike a rate, this hardly depends on
 * the machine's other load.
 */
export function cpuSecondsOf(pid: number): number {
  const [utime = 0, stime = 0, ofEndedUser = 0, ofEndedSystem = 0] = statOf(pid).slice(10, 14);
  const own = (utime + stime + ofEndedUser + ofEndedSystem) / clockTicksPerSecond;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOfChild(child), own);
}

/** A child that has just ended is counted with its parent next time. */
function cpuSecondsOfChild(pid: number): number {
  try {
    return cpuSecondsOf(pid);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return 0;
    throw error;
  }
}

export function residentMegabytesOf(pid: number): number {
  return statusMegabytes(pid, 'VmRSS');
}

/** The part of resident memory that holds pages of libraries and programs, which the kernel may drop at any time. */
export function residentFileMegabytesOf(pid: number): number {
  return statusMegabytes(pid, 'RssFile');
}

function statusMegabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
