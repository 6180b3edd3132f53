import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from './failure.ts';
import { processStartTime } from './process-identity.ts';

export interface LockOptions {
  say?: ((text: string) => void) | undefined;
  endingMs?: number | undefined;
}

interface Holder {
  pid: number;
  isEnding: boolean;
}

const sqliteBusy = 5;
/**
 * The kernel releases the lock of a killed process with its last thread. An unnamed holder has just taken the lock or
 * is releasing it.
 */
const dyingMs = 5_000;
/** 20 s for running work, then the databases. */
const usualEndingMs = 60_000;
const endingMark = 'ending';

/**
 * Locks a data folder for this process. The lock is an operating system file lock, taken through SQLite because Node
 * has no API for one: the kernel releases it however the process ends, so a killed process, a zombie or a reused
 * process id never holds it. A second file names the holder, for messages and for waiting until it has ended.
 * @throws LocalStackError when another process holds the lock and keeps it
 */
export async function lockDataDirectory(
  directory: string,
  { say = () => undefined, endingMs = usualEndingMs }: LockOptions = {},
) {
  const holderFile = join(directory, 'posthaste.pid');
  const startedAt = Date.now();
  let aliveAt = startedAt;
  let announced: number | undefined;
  for (;;) {
    const database = tryToLock(join(directory, 'lock'));
    if (database !== undefined) return held(database, holderFile);
    const holder = readHolder(holderFile);
    if (holder === undefined || processStartTime(holder.pid) === undefined) {
      if (Date.now() - aliveAt > dyingMs) throw alreadyRunning(directory, holder);
      await delay(20);
      continue;
    }
    aliveAt = Date.now();
    if (!holder.isEnding) throw alreadyRunning(directory, holder);
    if (aliveAt - startedAt > endingMs) {
      throw new LocalStackError(
        `Posthaste (process ${holder.pid}) has been shutting down in ${directory} for longer than ${endingMs / 1_000} seconds. Start again when it is gone, or set DATA_DIR to another folder.`,
      );
    }
    if (announced !== holder.pid) {
      announced = holder.pid;
      say(`Posthaste is still shutting down in ${directory} (process ${holder.pid}); waiting for it …`);
    }
    await delay(100);
  }
}

function alreadyRunning(directory: string, holder: Holder | undefined): LocalStackError {
  return new LocalStackError(
    `Posthaste is already running on ${directory} (process ${holder?.pid ?? 'unknown'}). Stop it first, or set DATA_DIR to another folder.`,
  );
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

function held(database: DatabaseSync, holderFile: string) {
  writeFileSync(holderFile, `${process.pid}\n`);
  let released = false;
  return {
    /** Makes other starts wait for this process to end instead of failing. */
    noteEnding() {
      if (released) return;
      try {
        writeFileSync(holderFile, `${process.pid}\n${endingMark}\n`);
      } catch {
        // A full disk must not prevent the shutdown.
      }
    },
    release() {
      if (released) return;
      released = true;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function readHolder(holderFile: string): Holder | undefined {
  try {
    const [pid, mark] = readFileSync(holderFile, 'utf8').split('\n');
    return Number(pid) ? { pid: Number(pid), isEnding: mark === endingMark } : undefined;
  } catch {
    return undefined;
  }
}
