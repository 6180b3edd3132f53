import { z } from 'zod';
import {
  campaignFigureColumns,
  campaignFigures,
  countedSql,
  figureRowsSql,
} from '../../fragments/campaign-figures-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn, queryValue } from '../../sql.ts';

/**
 * Adds the pending changes to the figures, 20,000 per statement. Senders append changes instead of updating one row, so
 * that they do not block each other. Changes of deleted campaigns are dropped.
 *
 * @returns the number of changes folded
 */
export async function foldCampaignFigures(em: Em): Promise<number> {
  const atOnce = 20_000;
  for (let total = 0; ; ) {
    const sql = `with due as materialized (
         select campaign_id, id from campaign_figure_changes order by campaign_id, id limit ${atOnce}
         for update skip locked
       ),
       taken as (
         delete from campaign_figure_changes c using due
         where c.campaign_id = due.campaign_id and c.id = due.id
         returning c.*
       ),
       folded as (
         insert into campaign_figures as f (campaign_id, ${campaignFigureColumns})
         select campaign_id, ${campaignFigures.map((name) => `sum(${name})`).join(', ')}
         from taken
         where exists (select from campaigns k where k.id = campaign_id)
         group by campaign_id order by campaign_id
         on conflict (campaign_id) do update
         set ${campaignFigures.map((name) => `${name} = f.${name} + excluded.${name}`).join(', ')}
       )
       select count(*)::int as folded from taken`;
    const folded = await queryValue(em, z.int(), sql);
    total += folded;
    if (folded < atOnce) return total;
  }
}

/** Campaigns that are sending, or ended within the last hour, or 24 or 47 hours ago, in random order. */
export function findCampaignsToRecount(em: Em): Promise<string[]> {
  const sql = `select id from campaigns
     where status = 'SENDING'
       or floor(extract(epoch from now() - greatest(sent_at, cancelled_at)) / 3600) in (0, 24, 47)
     order by random()`;
  return queryColumn(em, z.uuid(), sql);
}

/**
 * Recounts a campaign's figures from its emails and corrects any difference (none is expected).
 *
 * @returns the sum of the absolute differences
 */
export function recountCampaign(em: Em, campaignId: string): Promise<number> {
  const sql = `with counted as (
       select ${campaignFigures.map((name) => `count(*) filter (where ${countedSql[name]('e')})::int as ${name}`).join(', ')}
       from emails e where e.campaign_id = $1
     ),
     kept as (
       select ${campaignFigures.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', ')}
       from (${figureRowsSql('$1')}) figures
     ),
     difference as (
       select ${campaignFigures.map((name) => `c.${name} - k.${name} as ${name}`).join(', ')} from counted c, kept k
     ),
     repaired as (
       insert into campaign_figure_changes (campaign_id, ${campaignFigureColumns})
       select $1::uuid, ${campaignFigureColumns} from difference
       where ${campaignFigures.map((name) => `${name} <> 0`).join(' or ')}
     )
     select ${campaignFigures.map((name) => `abs(${name})`).join(' + ')} as differences from difference`;
  return queryValue(em, z.int(), sql, [campaignId]);
}

/** For a deleted campaign. */
export async function deleteFigures(em: Em, campaignId: string): Promise<void> {
  for (const table of ['campaign_figure_changes', 'campaign_figures'])
    await execute(em, `delete from ${table} where campaign_id = $1`, [campaignId]);
}
