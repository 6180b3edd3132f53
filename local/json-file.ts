import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { tryParseJson } from '../core/json-value.ts';

/** `undefined` when the file is missing, `'malformed'` when it does not match. */
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
  const parsed = schema.safeParse(tryParseJson(text));
  return parsed.success ? parsed.data : 'malformed';
}
