import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** What is counted of a campaign's emails; the columns of `campaign_figures`. */
export const campaignCounters = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'held',
] as const;
const columns = campaignCounters.join(', ');

/** Whether an email counts for a figure, as SQL over a row of `emails`. */
const countedSql: Readonly<Record<(typeof campaignCounters)[number], (row: string) => string>> = {
  sent: (row) => `${row}.sent_at is not null`,
  delivered: (row) => `${row}.delivered_at is not null`,
  opened: (row) => `${row}.opened_at is not null`,
  clicked: (row) => `${row}.clicked_at is not null`,
  bounced: (row) => `${row}.bounced_at is not null`,
  complained: (row) => `${row}.complained_at is not null`,
  unsubscribed: (row) => `${row}.unsubscribed_at is not null`,
  held: (row) => `(${row}.sent_at is null and ${row}.status in ('FAILED', 'SUPPRESSED', 'CANCELLED'))`,
};

/**
 * Columns for the `returning` of an update of `emails`: what the update changes in the figures of its campaign, the
 * most of them null or 0. `appendFiguresSql` takes them up.
 */
export const figureChangesSql = campaignCounters
  .map((name) => `(${countedSql[name]('new')})::int - (${countedSql[name]('old')})::int as ${name}_change`)
  .join(', ');

/** Statement that appends the figure changes of the rows of `source`, which have `figureChangesSql` and `campaign_id`. */
export const appendFiguresSql = (source: string) => `
  insert into campaign_figure_changes (campaign_id, ${columns})
  select campaign_id, ${campaignCounters.map((name) => `sum(${name}_change)`).join(', ')}
  from ${source}
  where campaign_id is not null
  group by campaign_id
  having ${campaignCounters.map((name) => `sum(${name}_change) <> 0`).join(' or ')}`;

/** Adds the changes of all campaigns to their figures, a bounded number at a time. @returns how many were added */
export async function foldCampaignFigures(em: Em): Promise<number> {
  const atOnce = 20_000;
  for (let total = 0; ; ) {
    const [row] = await sql<{ folded: number }>(
      em,
      `with due as materialized (
         select campaign_id, id from campaign_figure_changes order by campaign_id, id limit ${atOnce}
         for update skip locked
       ),
       taken as (
         delete from campaign_figure_changes c using due
         where c.campaign_id = due.campaign_id and c.id = due.id
         returning c.*
       ),
       folded as (
         insert into campaign_figures as f (campaign_id, ${columns})
         select campaign_id, ${campaignCounters.map((name) => `sum(${name})`).join(', ')}
         from taken group by campaign_id order by campaign_id
         on conflict (campaign_id) do update
         set ${campaignCounters.map((name) => `${name} = f.${name} + excluded.${name}`).join(', ')}
       )
       select count(*)::int as folded from taken`,
    );
    const folded = row?.folded ?? 0;
    total += folded;
    if (folded < atOnce) return total;
  }
}

/** Campaigns whose figures can still change or changed lately: under way, or over for less than two days. */
export async function findRecentCampaigns(em: Em): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from campaigns
     where status = 'SENDING' or greatest(sent_at, cancelled_at) > now() - interval '2 days'
     order by id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Counts a campaign's figures from its emails and puts right what differs, which nothing should.
 *
 * @returns the sum of the differences, 0 when the figures were right
 */
export async function recountCampaign(em: Em, campaignId: string): Promise<number> {
  const [row] = await sql<{ differences: number }>(
    em,
    `with counted as (
       select ${campaignCounters.map((name) => `count(*) filter (where ${countedSql[name]('e')})::int as ${name}`).join(', ')}
       from emails e where e.campaign_id = $1
     ),
     kept as (
       select ${campaignCounters.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(', ')}
       from (
         select ${columns} from campaign_figures where campaign_id = $1
         union all
         select ${columns} from campaign_figure_changes where campaign_id = $1
       ) figures
     ),
     difference as (
       select ${campaignCounters.map((name) => `c.${name} - k.${name} as ${name}`).join(', ')} from counted c, kept k
     ),
     repaired as (
       insert into campaign_figure_changes (campaign_id, ${columns})
       select $1::uuid, ${columns} from difference
       where ${campaignCounters.map((name) => `${name} <> 0`).join(' or ')}
     )
     select ${campaignCounters.map((name) => `abs(${name})`).join(' + ')} as differences from difference`,
    [campaignId],
  );
  return row?.differences ?? 0;
}
