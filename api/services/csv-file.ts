import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { maxContactDataBytes } from '../../core/contact-data/parse-contact-data.ts';
import { csvRow } from '../../core/csv/csv-row.ts';
import type { InTurn } from '../../core/in-turn.ts';

/** Rows of the first page, and of a page at most: a page may have twice as many as the text of the last one held. */
const [fewRows, mostRows] = [100, 1_000];
/** Of the text of a page. An export holds one for as long as its client reads it. */
export const mostPageBytes = fewRows * maxContactDataBytes;
/** Characters after which the event loop does other work. */
const pieceLength = 64 * 1024;
const byteOrderMark = '\ufeff';

export interface CsvColumns<Row> {
  header: readonly string[];
  cellsOf: (row: Row) => readonly unknown[];
}

export interface CsvRows<Row, Position> extends CsvColumns<Row> {
  positionOf: (row: Row) => Position;
  /** A page of the list, as a scan: fewer rows than the limit are the last ones, unless it says how far it scanned. */
  find: (
    after: Position | undefined,
    limit: number,
  ) => Promise<{ rows: readonly Row[]; scannedUntil?: Position | undefined }>;
}

interface Page<Position> {
  pieces: string[];
  next: Position | undefined;
}

/**
 * Streams a list as CSV, and holds one page of it at a time.
 *
 * @throws DomainError `RATE_LIMIT_EXCEEDED` and `SERVICE_UNAVAILABLE`, before the first piece only: once the file has
 * started, its status can no longer be 429 or 503
 */
export async function startCsvFile<Row, Position>(
  inTurn: InTurn,
  { header, cellsOf, positionOf, find }: CsvRows<Row, Position>,
): Promise<AsyncGenerator<string>> {
  let limit = fewRows;
  const read = (after?: Position) =>
    inTurn(async (): Promise<Page<Position>> => {
      const { rows, scannedUntil } = await find(after, limit);
      const { pieces, written } = await write(rows, cellsOf);
      const isLast = written === rows.length && rows.length < limit;
      const last = isLast ? undefined : rows[written - 1];
      limit = Math.min(mostRows, Math.max(fewRows, written * 2));
      return { pieces, next: last ? positionOf(last) : scannedUntil };
    });
  return toFile(header, await read(), read);
}

async function* toFile<Position>(
  header: readonly string[],
  first: Page<Position>,
  read: (after: Position) => Promise<Page<Position>>,
): AsyncGenerator<string> {
  yield byteOrderMark + csvRow(header);
  for (let page = first; ; page = await read(page.next)) {
    for (const piece of page.pieces) {
      yield piece;
      await yieldToLoop();
    }
    if (page.next === undefined) return;
  }
}

/** Writes as many of the rows as a page holds. */
async function write<Row>(rows: readonly Row[], cellsOf: CsvColumns<Row>['cellsOf']) {
  const pieces: string[] = [];
  let piece = '';
  let length = 0;
  let written = 0;
  for (const row of rows) {
    if (length >= mostPageBytes) break;
    const line = csvRow(cellsOf(row));
    piece += line;
    length += line.length;
    written += 1;
    if (piece.length < pieceLength) continue;
    pieces.push(piece);
    piece = '';
    await yieldToLoop();
  }
  // Even if it is empty: an export whose client has left ends at a piece.
  pieces.push(piece);
  return { pieces, written };
}
