import { randomBytes } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeFileAtomically } from './atomic-file.ts';
import { type LockOptions, lockDataDirectory } from './data-lock.ts';
import { diskFullMessage, LocalStackError } from './failure.ts';

/** The folder of one local stack, held exclusively. */
export interface DataDirectory {
  /** Absolute path. */
  readonly path: string;
  readonly secrets: Secrets;
  /** Lets other starts wait for this one instead of being refused. */
  noteEnding(): void;
  /** Gives the folder free for another start. */
  release(): void;
}

const secretsSchema = z.object({ appSecret: z.string().min(32), postgresPassword: z.string().min(1) });

/** What is made up once per data folder and kept in `secrets.json` (mode 0600). */
export type Secrets = z.output<typeof secretsSchema>;

/** Space that a start needs: a new Postgres cluster, its write-ahead log, Temporal and ClickHouse files. */
const leastFreeBytes = 500_000_000;

/**
 * Creates the data folder when it is missing, checks that it can be used, and locks it. Waits for another process that
 * is ending on it.
 *
 * A new folder is closed to other users, who may only walk through it when we are root: Postgres then runs as
 * another user and has its own folder inside.
 *
 * @throws LocalStackError when the folder can't be written, the disk is nearly full, another process has the
 * folder, or `secrets.json` is damaged.
 */
export async function openDataDirectory(
  path: string,
  { minimumFreeBytes = leastFreeBytes, ...lockOptions }: { minimumFreeBytes?: number } & LockOptions = {},
): Promise<DataDirectory> {
  const directory = resolve(path);
  await makeUsable(directory);
  const space = await statfs(directory);
  const freeBytes = space.bavail * space.bsize;
  if (freeBytes < minimumFreeBytes) {
    throw new LocalStackError(
      `Only ${Math.floor(freeBytes / 1e6)} MB are free on the disk that holds ${directory}, and Posthaste needs ${Math.ceil(minimumFreeBytes / 1e6)} MB. Free some space, or set DATA_DIR to a folder on another disk.`,
    );
  }
  const lock = await lockDataDirectory(directory, lockOptions);
  try {
    await mkdir(join(directory, 'logs'), { recursive: true, mode: 0o700 });
    const secrets = await readOrCreateSecrets(join(directory, 'secrets.json'));
    return { path: directory, secrets, noteEnding: lock.noteEnding, release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function makeUsable(directory: string): Promise<void> {
  const probe = join(directory, `.writable-${process.pid}`);
  try {
    await mkdir(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new LocalStackError(diskFullMessage(directory));
    const reason =
      code === 'ENOTDIR' || code === 'EEXIST'
        ? 'there is a file in the way'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new LocalStackError(
      `The data folder ${directory} can't be written: ${reason}. Correct its permissions, or set DATA_DIR to a folder of your own.`,
      { cause: error },
    );
  }
}

async function readOrCreateSecrets(path: string): Promise<Secrets> {
  const stored = await readJsonFile(path, secretsSchema);
  if (stored === 'malformed') {
    throw new LocalStackError(
      `${path} is damaged. Put back a copy of it; without it the stored API keys can't be decrypted and the database can't be opened. To start over with empty data, remove the whole data folder.`,
    );
  }
  if (stored !== undefined) return stored;
  const secrets: Secrets = {
    appSecret: randomBytes(32).toString('base64url'),
    postgresPassword: randomBytes(24).toString('base64url'),
  };
  await writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
  return secrets;
}
