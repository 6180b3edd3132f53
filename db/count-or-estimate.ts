import { z } from 'zod';
import type { TotalAccuracy } from '../core/pagination/total-accuracy.ts';
import type { Em } from './orm.ts';
import { queryValue } from './sql.ts';

/** Totals of larger sets are estimates. Counting this many rows through an index takes about 10 ms. */
export const mostCounted = 50_000;

export interface Total {
  total: number;
  totalAccuracy: TotalAccuracy;
}

const planJson = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })]);

/**
 * Counts rows that an index finds, exactly up to `mostCounted`; above that, returns the planner's estimate.
 *
 * @param rows `from` and `where` of a statement
 */
export async function countOrEstimate(em: Em, rows: string, parameters: readonly unknown[]): Promise<Total> {
  const sql = `select count(*)::int as count from (select ${rows} limit ${mostCounted + 1}) counted`;
  const total = await queryValue(em, z.int(), sql, parameters);
  if (total <= mostCounted) return { total, totalAccuracy: 'exact' };
  return { total: Math.max(await estimateRows(em, rows, parameters), total), totalAccuracy: 'estimate' };
}

export async function estimateRows(em: Em, rows: string, parameters: readonly unknown[]): Promise<number> {
  const [{ Plan }] = await queryValue(em, planJson, `explain (format json) select ${rows}`, parameters);
  return Plan['Plan Rows'];
}
