/** About half a second. With 200 workflows, 500 events took 40 seconds, or ended at the statement timeout. */
const most = 5_000;
/** Of a project in a statement that others share: about 50 ms, which they wait for. */
const mostShared = 500;

/**
 * Table expression of one row, for the `from` of the first CTE of a statement: `start_and_wake_executions` raises
 * `most_matches`, before it starts any, when the events would start or wake more executions than the limit.
 * For statements whose caller divides what was rolled back, such as `Batcher`.
 *
 * @param limit SQL of a `matchLimit`
 */
export const matchLimitSql = (limit: string) =>
  `(select set_config('posthaste.most_matches', ${limit}, true) offset 0)`;

/**
 * Executions that a statement may start or wake, of one project and of all: any number for a single item that shares no
 * statement, because it can't be divided.
 */
export function matchLimit(items: number, isShared = false): string {
  if (isShared) return `${mostShared} ${most}`;
  return items === 1 ? '' : `${most} ${most}`;
}
