/** SQL for a text without its case, by the rules of Unicode whatever the locale of the database. */
export const foldedSql = (text: string) => `casefold(${text} collate pg_unicode_fast)`;

/**
 * SQL for whether one of the columns contains a text, whatever the case. A position knows no wildcards, so there are
 * none to be escaped; a column that is null contains nothing.
 *
 * @param wanted placeholder of the text, such as `$2`
 */
export function containsSql(columns: readonly string[], wanted: string): string {
  const text = foldedSql(`${wanted}::text`);
  return `(${columns.map((column) => `coalesce(position(${text} in ${foldedSql(column)}) > 0, false)`).join(' or ')})`;
}
