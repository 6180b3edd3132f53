import { z } from 'zod';
import { cancelledReason } from '../../../core/campaign-state.ts';
import { countUsageSql } from '../../fragments/count-usage-sql.ts';
import { isOfBatchSql } from '../../fragments/is-of-batch-sql.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/**
 * Cancels the queued emails of up to `limit` open batches after `afterNumber`, updates figures and usage, and ends the
 * batches of which no email is held by a claim, in one statement. For cancelled campaigns: their emails in doubt are
 * never sent again, so no batch waits for those.
 *
 * @returns the number of the last batch, or null when there was none
 */
export function cancelBatches(
  em: Em,
  campaignId: string,
  afterNumber: number,
  limit: number,
): Promise<number | null> {
  const sql = `with batch as materialized (
       select b.*, k.project_id
       from campaign_batches b
       join campaigns k on k.id = b.campaign_id
       where b.campaign_id = $1 and b.number > $2 and b.ended_at is null
       order by b.number limit $3
     ),
     held as materialized (
       select e.id from batch b
       join emails e on ${isOfBatchSql('e', 'b', 'b.project_id')}
       where e.status = 'QUEUED'
       order by e.id
       for no key update of e
     ),
     cancelled as (
       update emails e set status = 'CANCELLED', reason = '${cancelledReason}'
       from held h
       where e.id = h.id and e.status = 'QUEUED'
       returning e.id
     ),
     counted as (
       insert into campaign_figure_changes (campaign_id, held)
       select $1, count(*) from cancelled having count(*) > 0
     ),
     given_back as (${countUsageSql(
       'campaigns',
       `select k.project_id, k.started_at as at, -(select count(*) from cancelled) as emails
        from campaigns k where k.id = $1 and exists (select from cancelled)`,
     )}
     ),
     unclaimed as materialized (
       select b.number
       -- Counted, so that the emails are locked first, as in other statements.
       from campaign_batches b, (select count(*) from cancelled) c
       where b.campaign_id = $1 and b.number in (select number from batch) and b.ended_at is null
         and not exists (
           select from emails e
           where ${isOfBatchSql('e', 'b', '(select project_id from campaigns where id = $1)')} and e.status = 'SENDING')
       order by b.number
       for no key update of b
     ),
     ended as (
       update campaign_batches b
       set ended_at = clock_timestamp()
       from unclaimed u
       where b.campaign_id = $1 and b.number = u.number
     )
     select max(number) as last from batch`;
  return queryValue(em, z.int().nullable(), sql, [campaignId, afterNumber, limit]);
}
