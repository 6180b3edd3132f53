import { parseEmailAddress } from '../addresses/email-address.ts';
import { maxContactDataKeyLength, reservedDataKeys } from '../contact-data/parse-contact-data.ts';
import { guardedText } from '../csv/csv-row.ts';

export interface ImportColumns {
  email: number;
  subscribed: number | undefined;
  data: { index: number; key: string }[];
  /** Of `rejectionColumns`. */
  rejection: ReadonlySet<number>;
}

export type ColumnsResult =
  | { ok: true; columns: ImportColumns }
  | { ok: false; message: string; isEmailMissing: boolean };

export const maxColumns = 1_000;
const notText =
  'This is not a text file, or UTF-16 without a byte order mark. Export it as CSV in UTF-8 and upload that.';
const emailNames = ['email', 'e-mail', 'email address', 'e-mail address'];

// A key that itself looks like a built-in column gets the prefix too, so that each column name has one meaning.
const keyLikeBuiltIn = /^(?:data\.)*(?:email|subscribed)$/i;
const columnPrefix = 'data.';

/**
 * The column name for a key of `data`; the prefix distinguishes the keys `email` and `subscribed` from the built-in
 * columns.
 */
export function columnOfKey(key: string): string {
  return keyLikeBuiltIn.test(key) ? columnPrefix + key : key;
}

/** What a file of rejected rows adds to the columns of the imported file. An import leaves them out. */
export const rejectionColumns = ['Rejected row', 'Rejected because'];
const rejectionNames = new Set(rejectionColumns.map((name) => name.toLowerCase()));

export const isRejectionColumn = (name: string): boolean => rejectionNames.has(name.toLowerCase());

function keyOfColumn(name: string): string {
  const rest = name.startsWith(columnPrefix) ? name.slice(columnPrefix.length) : name;
  return keyLikeBuiltIn.test(rest) ? rest : name;
}

/** What each column becomes, by name: `email`, `subscribed`, a key of data (`columnOfKey`), or null for nothing. */
export type ColumnMapping = Readonly<Record<string, string | null>>;

/**
 * Reads the header of a file. `mapping` overrides the columns that it names. `email` and `subscribed` match in any case;
 * every other name is a key of `data` as written, with `columnOfKey` undone. Duplicate names are rejected as ambiguous.
 */
export function readColumns(header: readonly string[], mapping: ColumnMapping = {}): ColumnsResult {
  const added = header.slice(0, rejectionColumns.length).filter(isRejectionColumn).length;
  if (header.length - added > maxColumns) return refuse(`A file has at most ${maxColumns} columns`);
  if (header.some((cell) => cell.includes('\0'))) return refuse(notText);
  const written = header.map((cell) => cell.trim());
  const unknown = Object.keys(mapping).find((name) => !written.includes(name));
  if (unknown !== undefined)
    return refuse(`The mapping names a column "${unknown.slice(0, 100).toWellFormed()}" that the file lacks`);
  const rejection = new Set<number>();
  const names = written.map((name, index) => {
    if (Object.hasOwn(mapping, name)) return (mapping[name] ?? '').trim();
    if (!isRejectionColumn(name)) return guardedText(name) ?? name;
    rejection.add(index);
    return '';
  });
  const folded = names.map((name) => name.toLowerCase());
  const emailName = emailNames.find((name) => folded.includes(name));
  if (emailName === undefined) return { ok: false, message: missingEmail(names), isEmailMissing: true };
  const email = folded.indexOf(emailName);
  const subscribed = folded.indexOf('subscribed');

  const seen = new Map<string, string>();
  const data: ImportColumns['data'] = [];
  for (const [index, column] of names.entries()) {
    if (column === '') continue;
    const lower = column.toLowerCase();
    const isBuiltIn = lower === emailName || lower === 'subscribed';
    const key = keyOfColumn(column);
    const name = isBuiltIn ? lower : columnOfKey(key);
    const other = seen.get(name);
    if (other !== undefined) return refuse(sameField(name, other, column));
    seen.set(name, column);
    if (key.length > maxContactDataKeyLength) {
      return refuse(`The name of a column has at most ${maxContactDataKeyLength} characters`);
    }
    if (isBuiltIn || reservedDataKeys.has(key) || key === '__proto__') continue;
    data.push({ index, key });
  }
  return {
    ok: true,
    columns: { email, subscribed: subscribed < 0 ? undefined : subscribed, data, rejection },
  };
}

function sameField(name: string, one: string, other: string): string {
  const fault =
    one.toLowerCase() === other.toLowerCase()
      ? `Two columns are named "${name}"`
      : `The columns "${one}" and "${other}" are the same field`;
  return `${fault}; rename or remove one of them`;
}

function missingEmail(names: readonly string[]): string {
  const address = names.find((name) => parseEmailAddress(name) !== undefined);
  if (address !== undefined) {
    return (
      `The first row holds an address, "${address}", where it must name the columns. ` +
      'Add a row above it, with "email" over the addresses'
    );
  }
  const some = names.slice(0, 10).map((name) => `"${name.slice(0, 40).toWellFormed()}"`);
  const more = names.length > some.length ? ', …' : '';
  return `The first row must name the columns, and one of them must be named "email". It names ${some.join(', ')}${more}`;
}

function refuse(message: string): ColumnsResult {
  return { ok: false, message, isEmailMissing: false };
}
