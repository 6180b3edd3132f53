import { randomBytes } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type LockOptions, lockDataDirectory } from './data-lock.ts';
import { diskFullMessage, LocalStackError } from './failure.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

export type DataDirectory = Awaited<ReturnType<typeof openDataDirectory>>;

const secretsSchema = z.object({
  appSecret: z.string().min(32),
  postgresPassword: z.string().min(1),
  /** Empty in data folders of versions that ran ClickHouse in the same process. */
  clickhousePassword: z.string().default(''),
});

/** Generated once per data folder, kept in `secrets.json` (mode 0600). */
export type Secrets = z.output<typeof secretsSchema>;

const leastFreeBytes = 500_000_000;

/**
 * Creates the data folder when it is missing, checks that it is usable, and locks it. Waits for a process that is
 * shutting down on it. A new folder is private (0700). Under root it is traversable, because Postgres then runs as
 * another user with its own folder inside.
 * @throws LocalStackError when the folder can't be written, the disk is nearly full, another process holds the lock, or
 * `secrets.json` is damaged
 */
export async function openDataDirectory(
  path: string,
  { minimumFreeBytes = leastFreeBytes, ...lockOptions }: { minimumFreeBytes?: number } & LockOptions = {},
) {
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
    return { path: directory, secrets: await readOrCreateSecrets(directory), ...lock };
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
    await rm(probe, { force: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new LocalStackError(diskFullMessage(directory));
    const reason =
      code === 'ENOTDIR' || code === 'EEXIST'
        ? 'a file is in the way'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new LocalStackError(
      `The data folder ${directory} can't be written: ${reason}. Correct its permissions, or set DATA_DIR to a folder of your own.`,
      { cause: error },
    );
  }
}

/**
 * @returns undefined before the first start
 * @throws LocalStackError when `secrets.json` is damaged
 */
export async function readSecrets(directory: string): Promise<Secrets | undefined> {
  const path = join(directory, 'secrets.json');
  return readJsonFile(path, secretsSchema, () => {
    throw new LocalStackError(
      `${path} is damaged. Restore it from a copy; without it the stored API keys can't be decrypted and the database can't be opened. To start over with empty data, remove the whole data folder.`,
    );
  });
}

async function readOrCreateSecrets(directory: string): Promise<Secrets> {
  const stored = await readSecrets(directory);
  if (stored !== undefined && stored.clickhousePassword !== '') return stored;
  const secrets: Secrets = {
    appSecret: randomBytes(32).toString('base64url'),
    postgresPassword: randomBytes(24).toString('base64url'),
    ...stored,
    clickhousePassword: randomBytes(24).toString('base64url'),
  };
  await writeJsonFile(join(directory, 'secrets.json'), secrets);
  return secrets;
}
