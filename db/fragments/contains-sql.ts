import { raw } from '@mikro-orm/core';

/** Case-folds by Unicode, independent of the database's locale. */
export const foldedSql = (text: string) => `casefold(${text} collate pg_unicode_fast)`;

/** A text with accents as one character and as two: macOS writes two. `normalize` in SQL costs 8 µs per row. */
export const spellingsOf = (text: string): string[] => [
  ...new Set([text.normalize('NFC'), text.normalize('NFD')]),
];

/**
 * Case-insensitive search for a text in any of the columns. `position` needs no escaping of wildcards; a null column
 * never matches.
 *
 * @param wanted placeholders of the text's spellings, such as `$2`
 */
export function containsSql(columns: readonly string[], wanted: readonly string[]): string {
  const tests = columns.flatMap((column) =>
    wanted.map(
      (text) => `coalesce(position(${foldedSql(`${text}::text`)} in ${foldedSql(column)}) > 0, false)`,
    ),
  );
  return `(${tests.join(' or ')})`;
}

/** Case-insensitive substring match on any of the columns, as a filter key: `{ [containsText(…)]: [] }`. */
export function containsText(columns: readonly string[], text: string) {
  const spellings = spellingsOf(text);
  return raw(
    containsSql(
      columns,
      spellings.map(() => '?'),
    ),
    columns.flatMap(() => spellings),
  );
}

export const folded = (column: string) => raw(foldedSql(column));

export interface ListOrder {
  sort: 'name' | 'createdAt' | 'updatedAt';
  dir: 'asc' | 'desc';
}

export const listOrder = ({ sort, dir }: ListOrder) => [
  sort === 'name' ? { [folded('name')]: dir } : { [sort]: dir },
  { id: dir },
];
