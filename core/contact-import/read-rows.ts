import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type ImportColumns, readColumns } from './columns.ts';
import { csvOptions, type ImportFormat, isBeforeHeader } from './import-format.ts';
import { type ImportRow, readRow } from './read-row.ts';
import { decodeFile } from './text-encoding.ts';

/**
 * Reads the rows of a file as they come, holding little more of it than one piece. Rows without any text are left
 * out, but they count: `row` is the row of a spreadsheet, where the header is row 1 and a quoted line break does not
 * begin a new one. What follows the header never makes it fail.
 *
 * @param pieces the bytes of the file, in order
 * @throws Error when the header is not one that `readImportFormat` took
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
  });
  const text = Readable.from(decodeFile(pieces, format.encoding), { objectMode: true });
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);

  let columns: ImportColumns | undefined;
  let row = 0;
  try {
    for await (const record of parser) {
      const cells: string[] = record;
      if (columns === undefined) {
        if (isBeforeHeader(cells)) continue;
        columns = columnsOf(cells);
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

const unclosedQuote = 'A quote that opens here is never closed; the rest of the file could not be read';

function columnsOf(cells: readonly string[]): ImportColumns {
  const read = readColumns(cells);
  if (!read.ok) throw new Error(read.message);
  return read.columns;
}
