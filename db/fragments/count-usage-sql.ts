import type { BillingCategory } from '../../core/billing/categories.ts';
import { joinByKeySql } from './join-by-key.ts';

/**
 * Body of a CTE that adds the emails queued by the statement to the usage, or subtracts the ones it cancels.
 *
 * @param rows query of `project_id`, `at` (instant in the month to count in) and `emails` (negative to subtract); one
 * row per project and month
 */
export function countUsageSql(category: BillingCategory, rows: string): string {
  return `
  insert into billing_usage as u (project_id, month, category, lane, emails)
  select project_id, usage_month(at), '${category}', pg_backend_pid() % 16, emails
  from (${rows}) counted
  order by project_id, usage_month(at)
  on conflict (project_id, month, category, lane) do update set emails = u.emails + excluded.emails`;
}

/**
 * Body of a CTE that subtracts canceled emails from the usage of the months in which they were counted.
 *
 * @param cancelled query of `emails` rows, all of one category
 */
export function giveBackUsageSql(category: BillingCategory, cancelled: string): string {
  return countUsageSql(
    category,
    `select project_id, min(counted_at) as at, -count(*) as emails
     from (
       select e.project_id, coalesce(k.started_at, e.created_at) as counted_at
       from (${cancelled}) e
       left join lateral (${joinByKeySql('campaigns k where k.id = e.campaign_id')}) k on true
     ) e
     group by project_id, usage_month(counted_at)`,
  );
}
