import { addressFault, parseEmailAddress } from '../addresses/email-address.ts';
import { maxContactDataBytes, parseContactData } from '../contact-data/parse-contact-data.ts';
import { guardedText } from '../csv/csv-row.ts';
import { type JsonObject, type JsonValue, jsonByteLength, tryParseJson } from '../json-value.ts';
import type { ImportColumns } from './columns.ts';

interface RowOfFile {
  row: number;
  email: string;
  /** As in the file, up to the last one with text. */
  cells: readonly string[];
}
export type GoodRow = RowOfFile & { ok: true; subscribed: boolean | undefined; data: JsonObject };
export type BadRow = RowOfFile & { ok: false; message: string };
export type ImportRow = GoodRow | BadRow;

const maxShownAddress = 254;
const maxShownAnswer = 40;
/** Copied along with addresses from web pages and chats; no address has them. */
const invisible = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Null for a row without any text. `row` counts as in a spreadsheet: the header is row 1. */
export function readRow(
  record: readonly string[],
  row: number,
  columns: ImportColumns,
  damaged: boolean,
): ImportRow | null {
  // A row may be millions of delimiters.
  const cells = record.slice(0, record.findLastIndex((cell) => cell !== '') + 1);
  const written = cells[columns.email]?.replace(invisible, '').trim() ?? '';
  const address = guardedText(written) ?? written;
  const refuse = (message: string): ImportRow => ({
    row,
    ok: false,
    email: address.slice(0, maxShownAddress).replaceAll('\0', '').toWellFormed(),
    message,
    cells,
  });
  const filled = cells.filter((cell) => cell !== '');
  if (address === '' && cells.every((cell, index) => cell.trim() === '' || columns.rejection.has(index)))
    return null;
  if (filled.some((cell) => cell.includes('\0'))) return refuse('The row contains NUL characters');
  if (damaged && filled.some((cell) => cell.includes('\ufffd'))) {
    return refuse('The row contains invalid UTF-8');
  }
  if (address === '') return refuse('The row has no email address');
  const email = parseEmailAddress(address);
  if (email === undefined) return refuse(addressFault(address, 'This is not an email address'));
  const answer = columns.subscribed === undefined ? '' : (cells[columns.subscribed]?.trim() ?? '');
  const subscribed = readSubscribed(answer);
  if (subscribed === null) {
    const shown = answer.slice(0, maxShownAnswer).toWellFormed();
    return refuse(`The subscription "${shown}" must be true, false, yes, no, 1, 0 or empty`);
  }
  const data: JsonObject = {};
  let length = 0;
  for (const { index, key } of columns.data) {
    // In order of the file, whose rows may be shorter than its header.
    if (index >= cells.length) break;
    const cell = cells[index]?.trim() ?? '';
    if (cell === '') continue;
    data[key] = guardedText(cell) ?? readCell(cell);
    length += key.length + cell.length + 6;
  }
  // A character takes at most six bytes of JSON, so only large rows are measured.
  if (length * 6 > maxContactDataBytes && jsonByteLength(data) > maxContactDataBytes) {
    return refuse('The row has more than 64 KB of data');
  }
  return { row, ok: true, email, subscribed, data, cells };
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const exactDigits = 15;
/** A number has at most 24 characters as text, such as -1.2345678901234567e-308. */
const longestNumber = 24;

/**
 * Parses a cell as true or false in any case, a plain decimal number, a JSON list or object as an export writes them,
 * or else text (dates included). Anything that a number would not preserve stays text: leading zeros, a plus sign, more
 * than 15 digits, decimal commas. A fraction or an exponent with more digits is a number if written as an export writes
 * it. A list or object with more text than a contact may store stays text, too.
 *
 * @param cell trimmed and not empty
 */
export function readCell(cell: string): JsonValue {
  if (cell.length <= 5) {
    const lower = cell.toLowerCase();
    if (lower === 'true') return true;
    if (lower === 'false') return false;
  }
  if (cell.startsWith('[') || cell.startsWith('{')) return readNested(cell) ?? cell;
  return isNumberText(cell) ? Number(cell) : cell;
}

export function isNumberText(cell: string): boolean {
  // Most cells are text, and their first character says so.
  if (cell.length > longestNumber || !/^-?\d/.test(cell)) return false;
  const number = Number(cell);
  if (/[.e]/.test(cell) && String(number) === cell) return true;
  if (!plainNumber.test(cell) || Object.is(number, -0)) return false;
  return cell.replace(/\D/g, '').length <= exactDigits;
}

/** Undefined for text that is not JSON, or that a contact may not store. */
function readNested(cell: string): JsonValue | undefined {
  if (cell.length > maxContactDataBytes) return undefined;
  const parsed = parseContactData({ cell: tryParseJson(cell) ?? null });
  return parsed.ok ? parsed.data.set.cell : undefined;
}

/** Also in the languages of the footer: spreadsheets write true and false in the language of the computer. */
const yes = new Set(
  'true 1 yes y on subscribed wahr ja j vrai oui verdadero sí si vero sì waar prawda tak verdadeiro sim'.split(
    ' ',
  ),
);
const no = new Set(
  'false 0 no n off unsubscribed falsch nein faux non falso onwaar nee fałsz nie não nao'.split(' '),
);

/** Undefined for an empty cell; null for an invalid one. */
function readSubscribed(cell: string): boolean | undefined | null {
  const word = cell.normalize().toLowerCase();
  if (word === '') return undefined;
  if (yes.has(word)) return true;
  return no.has(word) ? false : null;
}
