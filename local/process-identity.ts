import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { execaSync } from 'execa';

const hasProc = process.platform === 'linux';

/**
 * Only for comparison; `undefined` when there is no such process or it is a zombie. Ids are reused, so only id and
 * start time together identify a process.
 */
export function processStartTime(pid: number): string | undefined {
  if (hasProc) return startTimeFromProc(pid);
  try {
    const line = execaSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).stdout.trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

function startTimeFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // proc_pid_stat(5): field 2, the command name in parentheses, may contain anything, so count from its end.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return rest[18];
}

/** Linux only; empty elsewhere. `directory` is an absolute path without symbolic links. */
export function processesWorkingIn(directory: string): number[] {
  if (!hasProc) return [];
  return processIds().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory && startTimeFromProc(pid) !== undefined;
    } catch {
      return false;
    }
  });
}

/** Linux only. */
export const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** A negative id addresses a process group. @returns false when there was none */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    return false;
  }
}
