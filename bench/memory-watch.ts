import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { childrenOf, residentMegabytesOf } from './bench-process.ts';

const everyMs = 100;

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

function nameOf(pid: number): string {
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return `${basename(program)} ${script.slice(-30)}`.trim();
}

/**
 * Watches the resident memory of a process and its descendants.
 * @returns a function that ends the watch and returns the largest process, shared pages included
 */
export function watchMemory(pid: number): () => LargestProcess {
  let largest: LargestProcess = { name: '', megabytes: 0 };
  const look = () => {
    for (const each of familyOf(pid)) {
      try {
        const megabytes = residentMegabytesOf(each);
        if (megabytes > largest.megabytes) largest = { name: nameOf(each), megabytes };
      } catch {
        // The process has just ended.
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
