/**
 * Joins that always look rows up by key. A plain join is planned for the current table size: a small table is read in
 * full, and a prepared statement keeps that plan while the table grows to millions of rows.
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

/**
 * Condition that joins the target of an `update … from` to its source by key: one index search per row of the source.
 * An equality could be planned as a join that reads the whole table; combined with `amongKeysSql`, it would search for
 * every key once per row.
 */
export const isKeySql = (column: string, key: string) => `${column} = any(array[${key}])`;
