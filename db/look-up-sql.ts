/**
 * Ways to join a table so that its rows are always found by key, one by one. A plain join is planned by the size that
 * the table has at that time: of a small one it reads everything, and a prepared statement goes on doing so while
 * the table grows to millions.
 */

/**
 * A sub-query for `cross join lateral` or `left join lateral`.
 *
 * @param source table, alias and condition, which names the key
 * @param lock such as `for update`
 */
export const lookUpSql = (source: string, lock = '') => `select * from ${source} offset 0 ${lock}`;

/** A condition for the table that an `update … from` changes, beside the join itself. */
export const amongSql = (column: string, keys: string) => `${column} = any(array(${keys}))`;
