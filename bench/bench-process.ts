import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const startTimeoutMs = 180_000;

export interface ProcessOptions {
  /** File of the project that Node runs. */
  entry: string;
  environment: Record<string, string>;
  /** Answers 2xx as soon as the process can be used. */
  probe: string;
  /** Takes what the process writes, as a file in production would. */
  logFile: string;
}

export interface BenchProcess {
  pid: number;
  /** SIGTERM, and SIGKILL when that is not enough. */
  stop(): Promise<void>;
}

/** Starts a process of the product as production runs it. `BENCH_NODE_OPTIONS` is handed to it for profilers. */
export async function startBenchProcess(options: ProcessOptions): Promise<BenchProcess> {
  const log = openSync(options.logFile, 'a');
  const profiling = process.env.BENCH_NODE_OPTIONS;
  const child = spawn(process.execPath, [options.entry], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(profiling === undefined ? {} : { NODE_OPTIONS: profiling }),
      ...options.environment,
    },
    stdio: ['ignore', log, log],
  });
  const exited = once(child, 'exit');
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (isGone()) return;
    child.kill('SIGTERM');
    await Promise.race([exited, delay(15_000)]);
    if (!isGone()) child.kill('SIGKILL');
    await exited;
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
  return { pid: child.pid ?? 0, stop };
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

/** The numbers after the name in `/proc/<pid>/stat`, the first of which is field 4 of proc(5). */
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
 * CPU time in seconds that a process and its children, ended ones included, have used so far. Unlike a rate it
 * hardly depends on what else the machine does.
 */
export function cpuSecondsOf(pid: number): number {
  const [utime = 0, stime = 0, ofEndedUser = 0, ofEndedSystem = 0] = statOf(pid).slice(10, 14);
  const own = (utime + stime + ofEndedUser + ofEndedSystem) / clockTicksPerSecond;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOfChild(child), own);
}

/** One that has just ended counts with its parent the next time. */
function cpuSecondsOfChild(pid: number): number {
  try {
    return cpuSecondsOf(pid);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return 0;
    throw error;
  }
}

/** Resident memory of a process in megabytes. */
export function residentMegabytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
