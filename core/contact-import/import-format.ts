import type { Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { readColumns } from './columns.ts';
import { type DetectedEncoding, fileEncodings } from './text-encoding.ts';

/** Largest file of an import. */
export const maxImportBytes = 5 * 1024 * 1024;

/** How a file is to be read, found out before it is accepted. */
export const importFormatSchema = z.object({
  encoding: z.enum(fileEncodings),
  damaged: z.boolean(),
  delimiter: z.string().length(1),
  /** Size of the file. */
  bytes: z.number().int(),
});

export type ImportFormat = z.output<typeof importFormatSchema>;

export type ImportFormatResult = { ok: true; format: ImportFormat } | { ok: false; message: string };

const delimiters = [',', ';', '\t'] as const;

/** How records are told apart; lenient, because a quote in the wrong place must not end an import. */
export function csvOptions(delimiter: string): Options {
  return {
    bom: true,
    delimiter,
    // All three, because some files mix them; the longest first.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    // `, "Lovelace, Ada"` is a quoted cell; other spaces are cut off cell by cell.
    ltrim: true,
  };
}

/**
 * Reads the header of a file, which has to tell its delimiter: the one by which a column is called `email`, and if
 * that holds for several, the one that makes most columns.
 *
 * @param start the first part of the file with the whole header
 * @param bytes size of the file
 */
export function readImportFormat(
  start: Uint8Array,
  detected: DetectedEncoding,
  bytes: number,
): ImportFormatResult {
  const kind = otherKind(start);
  if (kind !== undefined) {
    return refuse(`This is ${kind}, not a CSV file. Export it as CSV and send that.`);
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
  const readings = headers.map(({ delimiter, cells }) => ({ delimiter, result: readColumns(cells) }));
  for (const { delimiter, result } of readings) {
    if (result.ok) return { ok: true, format: { ...detected, delimiter, bytes } };
  }
  const failure = readings.find(({ result }) => !result.ok && !result.isEmailMissing) ?? readings[0];
  return refuse(failure === undefined || failure.result.ok ? '' : failure.result.message);
}

/** Whether a record stands before the header: no text, or the line that names the delimiter to a spreadsheet. */
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
  return records.find((cells) => !isBeforeHeader(cells)) ?? [];
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
