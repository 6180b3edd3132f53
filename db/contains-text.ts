import { raw } from '@mikro-orm/core';
import { containsSql, foldedSql } from './fragments/contains-sql.ts';

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
