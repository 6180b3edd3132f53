/** About 50 ms, which the calls of all projects in a statement wait for. */
const mostShared = 500;
/** About half a second. With 200 workflows, 500 events took 40 seconds, or ended at the statement timeout. */
const mostOfProject = 5_000;

/**
 * Table expression of one row, for the `from` of the first CTE of a statement: `start_and_wake_executions` raises
 * `program_limit_exceeded` (54000), before it starts any, when the events would start or wake more executions than the limit.
 * For statements whose caller divides what was rolled back, such as `Batcher`.
 *
 * @param limit SQL of a `matchLimit`
 */
export const matchLimitSql = (limit: string) =>
  `(select set_config('posthaste.most_matches', ${limit}, true) offset 0)`;

/**
 * Executions that a statement may start or wake, as text: fewer if projects share it, and any number for a single item of
 * one project, which can't be divided.
 */
export function matchLimit(items: number, isShared = false): string {
  if (isShared) return String(mostShared);
  return items === 1 ? '' : String(mostOfProject);
}
