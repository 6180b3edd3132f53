import { z } from 'zod';
import { isStorableText } from '../json-value.ts';

export type CursorValue = string | number | boolean | null;

/** An instant within a cursor, as `toISOString` writes it. Postgres knows no year 0. */
export const cursorInstant = z.iso.datetime().refine((text) => !text.startsWith('0000'));

const version = 1;
const maxCursorLength = 2048;

/** An opaque keyset cursor: the sort values of the last row of a page, in the order of the sort. */
export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([version, ...values])).toString('base64url');
}

/**
 * Reads a cursor back. The schema says what the values of this listing look like, so that a cursor of another
 * listing, or one made by hand, is refused before it reaches a query.
 *
 * @returns the values, or undefined for anything that `encodeCursor` did not write or the schema refuses
 */
export function decodeCursor<T>(cursor: string, schema: z.ZodType<T>): T | undefined {
  if (cursor.length > maxCursorLength) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder skips what is not base64url; only the canonical form is ours.
  if (bytes.toString('base64url') !== cursor) return undefined;
  const decoded = parseJson(bytes.toString('utf8'));
  if (!Array.isArray(decoded) || decoded[0] !== version) return undefined;
  const values: unknown[] = decoded.slice(1);
  if (values.some((value) => typeof value === 'string' && !isStorableText(value))) return undefined;
  const parsed = schema.safeParse(values);
  return parsed.success ? parsed.data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
