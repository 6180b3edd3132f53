import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalStackError } from './failure.ts';

export interface DataLock {
  release(): void;
}

const sqliteBusy = 5;
/** The kernel needs a moment to take a lock from a process that was just killed. */
const patienceMs = 2_000;

/**
 * Makes this process the only one on a data folder. The lock is a file lock of the operating system, taken
 * through SQLite because Node offers none itself: the kernel drops it with the process however that ends, so a
 * killed process, a zombie or a process id that is used again can never hold it. A second file names the holder
 * for the message only.
 *
 * @throws LocalStackError when another process has the folder.
 */
export function lockDataDirectory(directory: string): DataLock {
  const holderFile = join(directory, 'posthaste.pid');
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: patienceMs });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)) throw error;
    throw new LocalStackError(
      `Posthaste is already running on ${directory} (process ${readHolder(holderFile)}). Stop it first, or set DATA_DIR to another folder.`,
    );
  }
  writeFileSync(holderFile, `${process.pid}\n`);
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function readHolder(holderFile: string): string {
  try {
    return readFileSync(holderFile, 'utf8').trim() || 'starting';
  } catch {
    return 'unknown';
  }
}
