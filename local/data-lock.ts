import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from './failure.ts';
import { processStartTime } from './process-identity.ts';

export interface DataLock {
  release(): void;
}

const sqliteBusy = 5;
/** The threads of a killed process end one after the other, and the lock goes with the last one. */
const dyingMs = 5_000;

/**
 * Makes this process the only one on a data folder. The lock is a file lock of the operating system, taken
 * through SQLite because Node offers none itself: the kernel drops it with the process however that ends, so a
 * killed process, a zombie or a process id that is used again can never hold it. A second file names the holder:
 * for the message, and to wait for one that is just dying.
 *
 * @throws LocalStackError when another process has the folder.
 */
export async function lockDataDirectory(directory: string): Promise<DataLock> {
  const holderFile = join(directory, 'posthaste.pid');
  const deadline = Date.now() + dyingMs;
  for (;;) {
    const database = tryToLock(join(directory, 'lock'));
    if (database !== undefined) return held(database, holderFile);
    const holder = readHolder(holderFile);
    const isDying = holder !== undefined && processStartTime(holder) === undefined;
    if (!isDying || Date.now() > deadline) {
      throw new LocalStackError(
        `Posthaste is already running on ${directory} (process ${holder ?? 'unknown'}). Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    await delay(20);
  }
}

function tryToLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined;
    throw error;
  }
}

function held(database: DatabaseSync, holderFile: string): DataLock {
  writeFileSync(holderFile, `${process.pid}\n`);
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function readHolder(holderFile: string): number | undefined {
  try {
    return Number(readFileSync(holderFile, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
