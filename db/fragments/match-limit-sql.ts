/** About half a second. With 200 workflows, 500 events took 40 seconds, or ended at the statement timeout. */
export const mostMatches = 5_000;

/**
 * Table expression of one row, for the `from` of the first CTE of a statement: `start_and_wake_executions` raises
 * `program_limit_exceeded` (54000), before it starts any, when events of several contacts would start or wake more executions
 * than the limit. For statements shared by projects whose caller divides what was rolled back (`Batcher`).
 *
 * @param limit SQL of the limit as text; an empty one is none
 */
export const matchLimitSql = (limit = `'${mostMatches}'`) =>
  `(select set_config('posthaste.most_matches', ${limit}, true) offset 0)`;
