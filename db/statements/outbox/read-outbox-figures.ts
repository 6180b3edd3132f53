import { z } from 'zod';
import { lanes } from '../../../core/outbox-lanes.ts';
import { figureRowsSql } from '../../fragments/campaign-figures-sql.ts';
import { campaignPauseSql } from '../../fragments/campaign-pause-sql.ts';
import type { Em } from '../../orm.ts';
import { query, queryRow } from '../../sql.ts';

const figuresRow = z.object({
  lane: z.enum(lanes),
  waiting: z.int(),
  dead: z.int(),
  oldestSeconds: z.number(),
});
// A statement, because it aggregates by an expression.
export async function readOutboxFigures(em: Em) {
  const sql = `select case when kind = 'email.dispatch' then 'emails' else 'work' end as lane,
       count(*) filter (where dead_at is null)::int as waiting,
       count(*) filter (where dead_at is not null)::int as dead,
       coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8
         as "oldestSeconds"
     from outbox group by 1`;
  const rows = await query(em, figuresRow, sql);
  return lanes.map(
    (lane) => rows.find((row) => row.lane === lane) ?? { lane, waiting: 0, dead: 0, oldestSeconds: 0 },
  );
}

const backlogRow = z.object({
  single: z.int(),
  campaigns: z.array(z.object({ id: z.uuid(), emails: z.int() })),
});
const mostSingleCounted = 50_000;
const mostCampaigns = 1_000;

/**
 * Accepted emails not yet handed over: single ones held back by the send rate, counted up to 50,000, and those of each
 * campaign that is sending and not paused.
 */
export function readSendingBacklog(em: Em) {
  const sql = `select
       (select count(*)::int from (select from waiting_emails limit ${mostSingleCounted}) w) as single,
       (select coalesce(json_agg(json_build_object('id', c.id, 'emails', greatest(0, c.total_recipients - f.done))), '[]')
        from (
          select k.id, k.total_recipients
          from campaigns k join projects p on p.id = k.project_id
          where k.status = 'SENDING' and ${campaignPauseSql('k', 'p')} is null
          limit ${mostCampaigns}
        ) c
        cross join lateral (
          select coalesce(sum(sent + held), 0) as done from (${figureRowsSql('c.id')}) figures
        ) f) as campaigns`;
  return queryRow(em, backlogRow, sql);
}
