import { maxContactDataKeyLength, reservedDataKeys } from '../contact-data/parse-contact-data.ts';

/** What the columns of a file mean, by their position. */
export interface ImportColumns {
  email: number;
  subscribed: number | undefined;
  /** Columns that become `data.<key>`; those without a name and those with a reserved one are left out. */
  data: { index: number; key: string }[];
}

export type ColumnsResult =
  | { ok: true; columns: ImportColumns }
  | { ok: false; message: string; isEmailMissing: boolean };

const maxColumns = 1_000;
/** Taken for the address where no column is called `email`; what other tools name it. */
const emailNames = ['email', 'e-mail', 'email address', 'e-mail address'];

/**
 * Reads the header of a file. `email` and `subscribed` are found in any case, every other name is a key of `data` as
 * it is written. Two columns of one name are refused, because it can't be told which one is meant.
 */
export function readColumns(header: readonly string[]): ColumnsResult {
  if (header.length > maxColumns) return refuse(`A file has at most ${maxColumns} columns`);
  const names = header.map((cell) => cell.trim());
  const folded = names.map((name) => name.toLowerCase());
  const emailName = emailNames.find((name) => folded.includes(name));
  if (emailName === undefined) return { ok: false, message: missingEmail(names), isEmailMissing: true };
  const email = folded.indexOf(emailName);
  const subscribed = folded.indexOf('subscribed');

  const seen = new Set<string>();
  const data: ImportColumns['data'] = [];
  for (const [index, key] of names.entries()) {
    if (key === '') continue;
    const lower = key.toLowerCase();
    const isBuiltIn = lower === emailName || lower === 'subscribed';
    const name = isBuiltIn ? lower : key;
    if (seen.has(name)) return refuse(`Two columns are called "${name}"; rename or remove one of them`);
    seen.add(name);
    if (key.includes('\0')) return refuse('The header holds NUL characters: the file is not a text file');
    if (key.length > maxContactDataKeyLength) {
      return refuse(`The name of a column has at most ${maxContactDataKeyLength} characters`);
    }
    if (isBuiltIn || reservedDataKeys.has(key) || key === '__proto__') continue;
    data.push({ index, key });
  }
  return { ok: true, columns: { email, subscribed: subscribed < 0 ? undefined : subscribed, data } };
}

function missingEmail(names: readonly string[]): string {
  const some = names.slice(0, 10).map((name) => `"${name.slice(0, 40)}"`);
  const more = names.length > some.length ? ', …' : '';
  return `The first row must name the columns, and one of them must be called "email". It names ${some.join(', ')}${more}`;
}

function refuse(message: string): ColumnsResult {
  return { ok: false, message, isEmailMissing: false };
}
