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
  const kind = otherKind(start);
  if (kind !== undefined) return refuse(`This is ${kind}, not a CSV file. Export it as CSV and upload that.`);
  if (detected === undefined) {
    return refuse(
      'The text is neither UTF-8 nor Windows-1252, so its letters would come out wrong. Export it as CSV in UTF-8 and upload that.',
    );
  }
  const text = new TextDecoder(detected.encoding).decode(start);
  if (text.trim() === '') return refuse('The file is empty. Its first row must name the columns.');
  const headers = delimiters
    .map((delimiter) => ({ delimiter, cells: findHeader(text, delimiter) }))
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
  const failure = readings.find(({ result }) => !result.ok && !result.isEmailMissing) ?? readings[0];
  return refuse(failure === undefined || failure.result.ok ? '' : failure.result.message);
}

export function isBeforeHeader(cells: readonly string[]): boolean {
  return cells.every((cell, index) => cell.trim() === '' || (index === 0 && /^sep=.?$/i.test(cell.trim())));
}

const mostBeforeHeader = 50;

function findHeader(text: string, delimiter: string): string[] {
  const records: string[][] = parse(text, {
    ...csvOptions(delimiter),
    to: mostBeforeHeader,
    skip_records_with_error: true,
  });
  return records.map(readCells).find((cells) => !isBeforeHeader(cells)) ?? [];
}

function refuse(message: string): ImportFormatResult {
  return { ok: false, message };
}

function otherKind(start: Uint8Array): string | undefined {
  const head = Buffer.from(start.subarray(0, 4)).toString('latin1');
  if (head === 'PK\x03\x04') return 'a spreadsheet or a ZIP archive';
  if (head === '\xd0\xcf\x11\xe0') return 'a spreadsheet';
  if (head === '%PDF') return 'a PDF document';
  return head.startsWith('\x1f\x8b') ? 'a gzip archive' : undefined;
}
