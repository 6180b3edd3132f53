import type { Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { type ColumnMapping, readColumns } from './columns.ts';
import { type DetectedEncoding, fileEncodings } from './text-encoding.ts';

export const maxImportBytes = 5 * 1024 * 1024;

export const importFormatSchema = z.object({
  encoding: z.enum(fileEncodings),
  damaged: z.boolean(),
  delimiter: z.string().length(1),
  bytes: z.number().int(),
  mapping: z.record(z.string(), z.string().nullable()).default({}),
  /** Static segment that the contacts of the file join. */
  segmentId: z.uuid().optional(),
});

export type ImportFormat = z.output<typeof importFormatSchema>;

export type ImportFormatResult = { ok: true; format: ImportFormat } | { ok: false; message: string };

const delimiters = [',', ';', '\t', '|'] as const;

/** Lenient, so that a misplaced quote does not end an import. */
export function csvOptions(delimiter: string): Options {
  return {
    bom: true,
    delimiter,
    // All three, because some files mix them; the longest first.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    // `, "Lovelace, Ada"` is a quoted cell; other spaces are trimmed cell by cell.
    ltrim: true,
  };
}

const quotedBeforeSpaces = /^"([^"]*)"\s+$/;

/** The parser keeps the quotes of a cell that has spaces after them, as in `"Lovelace, Ada" ,`. */
export const readCells = (record: readonly string[]): string[] =>
  record.map((cell) => quotedBeforeSpaces.exec(cell)?.[1] ?? cell);

/**
 * Reads the header of a file and detects the delimiter: the one that yields a column `email`; if several do,
 * the one with the most columns.
 *
 * @param start the first part of the file, with the whole header
 * @param bytes size of the file
 */
export function readImportFormat(
  start: Uint8Array,
  detected: DetectedEncoding | undefined,
  bytes: number,
  mapping: ColumnMapping = {},
): ImportFormatResult {
  const text = new TextDecoder(detected?.encoding).decode(start);
  const kind = otherKind(start, text);
  if (kind !== undefined) return refuse(`This is ${kind}, not a CSV file. Export it as CSV and upload that.`);
  if (detected === undefined) {
    return refuse(
      'The text is neither UTF-8 nor Windows-1252, so its letters would come out wrong. Export it as CSV in UTF-8 and upload that.',
    );
  }
  if (/^[\s,;|]*$/.test(text)) return refuse('The file is empty. Its first row must name the columns.');
  const headers = delimiters
    .map((delimiter) => {
      const rows = firstRows(text, delimiter);
      return { delimiter, rows, cells: rows.find((row) => !isBeforeHeader(row)) ?? [] };
    })
    .sort((a, b) => b.cells.length - a.cells.length);
  if (headers.every(({ cells }) => cells.length === 0)) {
    return refuse(
      'The first row, which must name the columns, could not be read: a quote in it is not closed.',
    );
  }
  const readings = headers.map(({ delimiter, cells }) => ({
    delimiter,
    result: readColumns(cells, mapping),
  }));
  for (const { delimiter, result } of readings) {
    if (result.ok) return { ok: true, format: { ...detected, delimiter, bytes, mapping } };
  }
  const failures = readings.flatMap(({ result }) => (result.ok ? [] : [result]));
  const failure = failures.find(({ isEmailMissing }) => !isEmailMissing);
  if (failure !== undefined) return refuse(failure.message);
  const place = Math.max(...headers.map(({ rows }) => rows.findIndex((row) => readColumns(row, mapping).ok)));
  if (place > 0) {
    return refuse(
      `Row ${place + 1} seems to name the columns, but the first row must. Delete the rows above it.`,
    );
  }
  return refuse(failures[0]?.message ?? '');
}

export function isBeforeHeader(cells: readonly string[]): boolean {
  return cells.every((cell, index) => cell.trim() === '' || (index === 0 && /^sep=.?$/i.test(cell.trim())));
}

const mostBeforeHeader = 50;

function firstRows(text: string, delimiter: string): string[][] {
  const records: string[][] = parse(text, {
    ...csvOptions(delimiter),
    to: mostBeforeHeader,
    skip_records_with_error: true,
  });
  return records.map(readCells);
}

function refuse(message: string): ImportFormatResult {
  return { ok: false, message };
}

/** Many systems name a web page with a table `.xls`. */
const markup = /^\s*<(?:!doctype|html|head|meta|table|\?xml)\b/i;

function otherKind(start: Uint8Array, text: string): string | undefined {
  const head = Buffer.from(start.subarray(0, 4)).toString('latin1');
  if (head === 'PK\x03\x04') return 'a spreadsheet or a ZIP archive';
  if (head === '\xd0\xcf\x11\xe0') return 'a spreadsheet';
  if (head === '%PDF') return 'a PDF document';
  if (markup.test(text)) return 'a web page or XML';
  return head.startsWith('\x1f\x8b') ? 'a gzip archive' : undefined;
}
