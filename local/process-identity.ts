import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const hasProc = process.platform === 'linux';

/**
 * When the process with this id started, in a unit that only makes sense for comparison; `undefined` when there
 * is no such process or it is dead and merely not collected yet (a zombie). A process id alone proves nothing,
 * because ids are used again; id and start time together name one process.
 */
export function processStartTime(pid: number): string | undefined {
  if (hasProc) return startTimeFromProc(pid);
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
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
  // proc_pid_stat(5): the command name, field 2, is in parentheses and may hold anything, so count from behind it.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return rest[18];
}

/**
 * Ids of the processes whose working directory is `directory` (an absolute path without symbolic links). Only
 * Linux tells; elsewhere the list is empty.
 */
export function processesWorkingIn(directory: string): number[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === directory && startTimeFromProc(pid) !== undefined;
      } catch {
        return false;
      }
    });
}

/** Sends a signal to a process (or to a group, by a negative id), and tells whether there still was one. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    return false;
  }
}
