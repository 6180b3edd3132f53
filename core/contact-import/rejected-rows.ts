import { csvRow, guardedText } from '../csv/csv-row.ts';
import { isRejectionColumn, maxColumns, rejectionColumns } from './columns.ts';
import { type BadRow, isNumberText } from './read-row.ts';

/** Kept per import; the first ones. */
export const maxRejectedRows = 10_000;

/**
 * Writes rejected rows as a CSV file that can be corrected and imported again: the columns of the imported file, with its
 * delimiter.
 */
export function createRejectionWriter(names: readonly string[], delimiter: string) {
  const isOwn = names.map(isRejectionColumn);
  const line = (added: readonly unknown[], cells: readonly string[]): string =>
    // In front, because a row may be longer or shorter than the header.
    csvRow([...added, ...cells.filter((_, index) => !isOwn[index]).map(unguarded)], delimiter);
  return {
    header: `\ufeff${line(rejectionColumns, names)}`,
    // A row may be millions of delimiters.
    row: ({ row, message, cells }: BadRow): string => line([row, message], cells.slice(0, maxColumns)),
  };
}

/** The value that an import takes, so that a guard is neither doubled nor added to a number. */
function unguarded(cell: string): string | number {
  const text = cell.trim();
  return text.startsWith('-') && isNumberText(text) ? Number(text) : (guardedText(text) ?? text);
}

/** The last line, which an import skips. It needs no delimiter. */
export const rejectionsMissing = (count: number): string =>
  csvRow([`${count} more rows were rejected. They are not in this file.`]);
