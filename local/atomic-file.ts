import { open, readFile, rename, rm } from 'node:fs/promises';
import type { z } from 'zod';

/**
 * Writes a file so that a reader, or a crash, sees either the old or the new content, never a part. The new
 * file has exactly `mode`, also when the old one had another.
 */
export async function writeFileAtomically(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Reads a JSON file that an earlier run wrote: `undefined` when it is missing, `'malformed'` when it can't be used. */
export async function readJsonFile<T>(
  path: string,
  schema: z.ZodType<T>,
): Promise<T | undefined | 'malformed'> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : 'malformed';
  } catch {
    return 'malformed';
  }
}
