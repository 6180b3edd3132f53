import { z } from 'zod';
import { campaignFigureColumns, campaignFigures } from '../../fragments/campaign-figures-sql.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

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
