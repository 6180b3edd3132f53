/**
 * Joins that always look rows up by key. A plain join is planned for the current table size: a small table is read
 * entirely, and a prepared statement keeps that plan while the table grows to millions of rows.
 */

/**
 * Sub-query for `cross join lateral` or `left join lateral`.
 *
 * @param source table, alias and condition on the key
 * @param lock such as `for update`
 */
export const joinByKeySql = (source: string, lock = '') => `select * from ${source} offset 0 ${lock}`;

/** Condition for the target of an `update … from`, in addition to the join. */
export const amongKeysSql = (column: string, keys: string) => `${column} = any(array(${keys}))`;
