import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { type ColumnMapping, type ImportColumns, readColumns } from './columns.ts';
import { csvOptions, type ImportFormat, isBeforeHeader, readCells } from './import-format.ts';
import { type ImportRow, readRow } from './read-row.ts';
import { decodeFile } from './text-encoding.ts';

/**
 * Reads the rows of a file, those of one piece at a time. Blank rows are skipped but counted: `row` is the row in a
 * spreadsheet, where the header is row 1 and a quoted line break does not start a new row. Malformed rows never throw.
 * Other work runs between pieces.
 *
 * @param pieces the bytes of the file, in order
 * @throws Error when `readImportFormat` would reject the header
 */
export async function* readRows(
  pieces: AsyncIterable<Uint8Array>,
  format: ImportFormat,
): AsyncGenerator<ImportRow[]> {
  let isCutShort = false;
  let columns: ImportColumns | undefined;
  let row = 0;
  const noteSkip = () => {
    isCutShort = true;
  };
  for await (const records of readRecords(pieces, format, noteSkip)) {
    const rows: ImportRow[] = [];
    for (const cells of records) {
      if (columns === undefined) {
        if (isBeforeHeader(cells)) continue;
        columns = columnsOf(cells, format.mapping);
        row = 1;
        continue;
      }
      row += 1;
      const read = readRow(cells, row, columns, format.damaged);
      if (read !== null) rows.push(read);
    }
    yield rows;
  }
  if (isCutShort) yield [{ row: row + 1, ok: false, email: '', message: unclosedQuote, cells: [] }];
}

export interface ImportHeader {
  names: string[];
  columns: ImportColumns;
}

/** @throws Error when `readImportFormat` would reject the header */
export async function readHeader(
  pieces: AsyncIterable<Uint8Array>,
  format: ImportFormat,
): Promise<ImportHeader> {
  for await (const records of readRecords(pieces, format)) {
    const names = records.find((cells) => !isBeforeHeader(cells));
    if (names === undefined) continue;
    return { names: names.map((name) => name.trim()), columns: columnsOf(names, format.mapping) };
  }
  throw new Error('The file has no header');
}

/**
 * The records that end in each piece. They bypass the parser's own stream, which gathers many pieces while its reader
 * waits and then hands them over in one turn.
 */
async function* readRecords(
  pieces: AsyncIterable<Uint8Array>,
  format: ImportFormat,
  noteSkip: () => void = () => undefined,
): AsyncGenerator<string[][]> {
  let records: string[][] = [];
  const parser = parse({
    ...csvOptions(format.delimiter),
    skip_records_with_error: true,
    on_skip: () => {
      noteSkip();
      return undefined;
    },
    on_record: (record) => {
      // A row that differs in length from the first one costs the parser an error with a copy of the row. This makes
      // every row the first.
      Object.assign(parser.info, { records: 0 });
      records.push(readCells(record));
      return null;
    },
  });
  // The calls below report it.
  parser.on('error', () => undefined);
  const take = () => {
    const taken = records;
    records = [];
    return taken;
  };
  for await (const piece of decodeFile(pieces, format.encoding)) {
    await untilDone((done) => parser.write(piece, done));
    yield take();
    await yieldToLoop();
  }
  await untilDone((done) => parser.end(done));
  yield take();
}

function untilDone(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}

const unclosedQuote = 'A quote that opens here is never closed; the rest of the file could not be read';

function columnsOf(cells: readonly string[], mapping: ColumnMapping): ImportColumns {
  const read = readColumns(cells, mapping);
  if (!read.ok) throw new Error(read.message);
  return read.columns;
}
