// Apostrophes count too: a text that already looks guarded needs another one, or reading would strip its own.
const formulaStart = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A line of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula is prefixed with an apostrophe,
 * which spreadsheets hide. Null is an empty cell; objects and lists are JSON.
 */
export function csvRow(cells: readonly unknown[], delimiter = ','): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

/** The original text of a cell that `csvRow` prefixed with an apostrophe; undefined for any other cell. */
export function guardedText(cell: string): string | undefined {
  return cell.startsWith("'") && formulaStart.test(cell) ? cell.slice(1) : undefined;
}

function csvCell(value: unknown, delimiter: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /["\r\n]|^\s|\s$/.test(safe) || safe.includes(delimiter) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
