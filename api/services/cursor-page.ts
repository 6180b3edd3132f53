import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { Total } from '../../db/count-or-estimate.ts';
import type { ListWindow } from '../../db/entities/list-window.ts';
import type { LargePageQuery } from '../schemas/pagination.ts';

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

interface LargeList<Row> {
  /** Kind of rows, so that a cursor of another list is refused. */
  kind: string;
  query: LargePageQuery;
  total: Total;
  read(window: ListWindow): Promise<Row[]>;
  positionOf(row: Row): { at: Date; id: string };
}

const positionSchema = (kind: string) => z.tuple([z.literal(kind), cursorInstant, z.uuid(), z.int().min(0)]);

/**
 * A page of a list that may be large: read by number, or by cursor at the same cost at any depth. Reads one row more
 * than the page, which tells whether there is another.
 *
 * @throws DomainError `BAD_REQUEST` for a cursor of another list
 */
export async function readLargePage<Row>(list: LargeList<Row>) {
  const { pageSize } = list.query;
  const { window, rowsBefore } = findWindow(list);
  const found = await list.read(window);
  const cursorOf = (last: Row) => cursorAfter(list.kind, list.positionOf(last), rowsBefore + pageSize);
  const { rows, isFull, next = null } = toScannedPage({ rows: found }, pageSize, cursorOf);
  const isEnd = !isFull && (rows.length > 0 || rowsBefore === 0);
  return {
    rows,
    page: Math.floor(rowsBefore / pageSize) + 1,
    ...correctTotal(list.total, {
      seen: found.length === 0 ? 0 : rowsBefore + found.length,
      isEnd,
      // The position in a cursor ignores rows added or removed while the list is read.
      isExact: isEnd && window.after === undefined,
    }),
    cursor: next,
  };
}

function findWindow<Row>({ kind, query }: LargeList<Row>): { window: ListWindow; rowsBefore: number } {
  const { page, pageSize, cursor } = query;
  const limit = pageSize + 1;
  const position = readCursor(cursor, positionSchema(kind));
  if (position === undefined) {
    const offset = (page - 1) * pageSize;
    return { window: { limit, offset }, rowsBefore: offset };
  }
  const [, at, id, rowsBefore] = position;
  return { window: { limit, offset: 0, after: { at, id } }, rowsBefore };
}

const cursorAfter = (kind: string, { at, id }: { at: Date; id: string }, rowsBefore: number) =>
  encodeCursor([kind, at.toISOString(), id, rowsBefore]);

/** An estimate is at least the number of rows seen, and is replaced by it on the last page. */
function correctTotal(
  { total, totalAccuracy }: Total,
  { seen, isEnd, isExact }: { seen: number; isEnd: boolean; isExact: boolean },
): Total {
  if (totalAccuracy === 'exact') return { total, totalAccuracy };
  return { total: isEnd ? seen : Math.max(total, seen), totalAccuracy: isExact ? 'exact' : totalAccuracy };
}
