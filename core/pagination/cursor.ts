import { z } from 'zod';
import { isStorableText, tryParseJson } from '../json-value.ts';

export type CursorValue = string | number | boolean | null;

export const cursorInstant = z.iso.datetime().refine((text) => !text.startsWith('0000'));

const version = 1;
const maxCursorLength = 2048;

export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([version, ...values])).toString('base64url');
}

/**
 * Decodes a keyset cursor (the last row's sort values). The schema describes this listing's values, so that
 * cursors of other listings and forged ones never reach a query.
 *
 * @returns undefined for anything that `encodeCursor` did not write or the schema rejects
 */
export function decodeCursor<T>(cursor: string, schema: z.ZodType<T>): T | undefined {
  if (cursor.length > maxCursorLength) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder ignores characters that are not base64url; only the canonical form is valid.
  if (bytes.toString('base64url') !== cursor) return undefined;
  const decoded = tryParseJson(bytes.toString('utf8'));
  if (!Array.isArray(decoded) || decoded[0] !== version) return undefined;
  const values: unknown[] = decoded.slice(1);
  if (values.some((value) => typeof value === 'string' && !isStorableText(value))) return undefined;
  return schema.safeParse(values).data;
}
