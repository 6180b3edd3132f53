import { raw } from '@mikro-orm/core';

/** Case-folds by Unicode, independent of the database's locale. */
export const foldedSql = (text: string) => `casefold(${text} collate pg_unicode_fast)`;

/**
 * Case-insensitive search for a text in any of the columns. `position` needs no escaping of wildcards; a null column
 * never matches.
 *
 * @param wanted placeholder of the text, such as `$2`
 */
export function containsSql(columns: readonly string[], wanted: string): string {
  const text = foldedSql(`${wanted}::text`);
  return `(${columns.map((column) => `coalesce(position(${text} in ${foldedSql(column)}) > 0, false)`).join(' or ')})`;
}

/** Case-insensitive substring match on any of the columns, as a filter key: `{ [containsText(…)]: [] }`. */
export const containsText = (columns: readonly string[], text: string) =>
  raw(
    containsSql(columns, '?'),
    columns.map(() => text),
  );

export const folded = (column: string) => raw(foldedSql(column));

export interface ListOrder {
  sort: 'name' | 'createdAt' | 'updatedAt';
  dir: 'asc' | 'desc';
}

export const listOrder = ({ sort, dir }: ListOrder) => [
  sort === 'name' ? { [folded('name')]: dir } : { [sort]: dir },
  { id: dir },
];
