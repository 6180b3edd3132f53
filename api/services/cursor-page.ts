import type { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { decodeCursor } from '../../core/pagination/cursor.ts';

/** @throws DomainError `BAD_REQUEST` for anything but a cursor of the list that `schema` describes */
export function readCursor<Position>(
  cursor: string | undefined,
  schema: z.ZodType<Position>,
  suggestion = 'Pass the cursor of the previous page, or leave it out.',
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor, schema);
  if (position !== undefined) return position;
  throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', { suggestion });
}

/**
 * A page of a scan, and where the next one begins.
 * @param scan of one row more than `limit`, which shows whether another page follows
 */
export function toScannedPage<Row, Position>(
  scan: { rows: Row[]; scannedUntil?: Position | undefined },
  limit: number,
  positionOf: (row: Row) => Position,
) {
  const rows = scan.rows.slice(0, limit);
  const last = scan.rows.length > limit ? rows.at(-1) : undefined;
  const searchedUntil = last === undefined ? scan.scannedUntil : undefined;
  const next = last === undefined ? searchedUntil : positionOf(last);
  return { rows, isFull: last !== undefined, next, searchedUntil };
}
