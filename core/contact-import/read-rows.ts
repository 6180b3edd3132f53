import { Readable } from 'node:stream';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { type Parser, parse } from 'csv-parse';
import { type ColumnMapping, type ImportColumns, readColumns } from './columns.ts';
import { csvOptions, type ImportFormat, isBeforeHeader, readCells } from './import-format.ts';
import { type ImportRow, readRow } from './read-row.ts';
import { decodeFile } from './text-encoding.ts';

/**
 * Streams the rows of a file, buffering little more than one piece. Blank rows are skipped but counted: `row`
 * is the row in a spreadsheet, where the header is row 1 and a quoted line break does not start a new row.
 * Malformed rows never throw. Other work runs between pieces.
 *
 * @param pieces the bytes of the file, in order
 * @throws Error when `readImportFormat` would reject the header
 */
export async function* readRows(
  pieces: AsyncIterable<Uint8Array>,
  format: ImportFormat,
): AsyncGenerator<ImportRow> {
  let isCutShort = false;
  const parser = parse({
    ...csvOptions(format.delimiter),
    skip_records_with_error: true,
    on_skip: () => {
      isCutShort = true;
      return undefined;
    },
    on_record: (record) => {
      // A row that differs in length from the first one costs the parser an error with a copy of the row. This makes
      // every row the first.
      Object.assign(parser.info, { records: 0 });
      return record;
    },
  });
  const text = decodeInto(parser, pieces, format);
  let columns: ImportColumns | undefined;
  let row = 0;
  try {
    for await (const record of parser) {
      const cells = readCells(record);
      if (columns === undefined) {
        if (isBeforeHeader(cells)) continue;
        columns = columnsOf(cells, format.mapping);
        row = 1;
        continue;
      }
      row += 1;
      const read = readRow(cells, row, columns, format.damaged);
      if (read !== null) yield read;
    }
    if (isCutShort) yield { row: row + 1, ok: false, email: '', message: unclosedQuote };
  } finally {
    text.destroy();
  }
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
  const parser = parse({ ...csvOptions(format.delimiter), skip_records_with_error: true });
  const text = decodeInto(parser, pieces, format);
  try {
    for await (const record of parser) {
      const names = readCells(record);
      if (isBeforeHeader(names)) continue;
      return { names: names.map((name) => name.trim()), columns: columnsOf(names, format.mapping) };
    }
    throw new Error('The file has no header');
  } finally {
    text.destroy();
  }
}

/** @returns the text that feeds the parser, to be destroyed once no more rows are read */
function decodeInto(parser: Parser, pieces: AsyncIterable<Uint8Array>, format: ImportFormat): Readable {
  const text = Readable.from(decodeFile(inTurns(pieces), format.encoding), { objectMode: true });
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  return text;
}

async function* inTurns(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    await yieldToLoop();
  }
}

const unclosedQuote = 'A quote that opens here is never closed; the rest of the file could not be read';

function columnsOf(cells: readonly string[], mapping: ColumnMapping): ImportColumns {
  const read = readColumns(cells, mapping);
  if (!read.ok) throw new Error(read.message);
  return read.columns;
}
