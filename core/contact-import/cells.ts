import { isDateText } from '../contact-data/infer-field-type.ts';

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const exactDigits = 15;

/**
 * Parses a cell as true or false in any case, a plain decimal number, or else text (dates included). Anything
 * that a number would not preserve stays text: leading zeros, a plus sign, more than 15 digits, exponents,
 * decimal commas.
 *
 * @param cell trimmed and not empty
 */
export function readCell(cell: string): string | number | boolean {
  if (cell.length <= 5) {
    const lower = cell.toLowerCase();
    if (lower === 'true') return true;
    if (lower === 'false') return false;
  }
  if (cell.length > exactDigits + 2 || !plainNumber.test(cell) || isDateText(cell)) return cell;
  const digits = cell.replace(/\D/g, '').length;
  const number = Number(cell);
  return digits > exactDigits || Object.is(number, -0) ? cell : number;
}

const yes = new Set(['true', '1', 'yes', 'y', 'on', 'subscribed']);
const no = new Set(['false', '0', 'no', 'n', 'off', 'unsubscribed']);

/** Undefined for an empty cell; null for an invalid one. */
export function readSubscribed(cell: string): boolean | undefined | null {
  const word = cell.trim().toLowerCase();
  if (word === '') return undefined;
  if (yes.has(word)) return true;
  return no.has(word) ? false : null;
}
