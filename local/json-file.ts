import { readFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import type { z } from 'zod';
import { tryParseJson } from '../core/json-value.ts';

/**
 * `undefined` when the file is missing.
 *
 * @param malformed answers for one that does not match, by default like for a missing one
 */
export async function readJsonFile<T>(
  path: string,
  schema: z.ZodType<T>,
  malformed: () => undefined = () => undefined,
): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(tryParseJson(text));
  return parsed.success ? parsed.data : malformed();
}

/** Readable by this user only, unless `mode` says otherwise. */
export function writeJsonFile(path: string, value: object, mode = 0o600): Promise<void> {
  return writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, { mode });
}
