import { activeCampaignStatusesSql } from './active-statuses-sql.ts';

/**
 * CTEs that end the active campaigns that match, with `stopped (id)`. They wait for freezes and claims in progress: no
 * lock weaker than `for update` conflicts with a claim.
 *
 * @param where condition on `campaigns`
 */
export const stopCampaignsSql = (where: string) => `
active as materialized (
  select id from campaigns where ${where} and status in ${activeCampaignStatusesSql} order by id for update
),
stopped as (
  update campaigns k set status = 'CANCELLED', cancelled_at = clock_timestamp()
  from active where k.id = active.id
  returning k.id
)`;
