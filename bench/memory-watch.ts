import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { childrenOf, residentMegabytesOf } from './bench-process.ts';

const everyMs = 100;

/** The most that a process held, by the name of its program and its id. */
export interface LargestProcess {
  name: string;
  megabytes: number;
}

function familyOf(pid: number): number[] {
  try {
    return [pid, ...childrenOf(pid).flatMap(familyOf)];
  } catch {
    return [];
  }
}

/** Such as `node local/ses/main.ts`. */
function nameOf(pid: number): string {
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return `${basename(program)} ${script.slice(-30)}`.trim();
}

/**
 * Watches the resident memory of a process and its descendants.
 * @returns ends the watch and tells which of them held most, shared pages included
 */
export function watchMemory(pid: number): () => LargestProcess {
  let largest: LargestProcess = { name: '', megabytes: 0 };
  const look = () => {
    for (const each of familyOf(pid)) {
      try {
        const megabytes = residentMegabytesOf(each);
        if (megabytes > largest.megabytes) largest = { name: nameOf(each), megabytes };
      } catch {
        // It has just ended.
      }
    }
  };
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    look();
    return largest;
  };
}
