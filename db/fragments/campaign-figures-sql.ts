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
type CampaignCounter = (typeof campaignCounters)[number];
export const campaignCounterColumns = campaignCounters.join(', ');

export const countedSql: Readonly<Record<CampaignCounter, (row: string) => string>> = {
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
 * For the `returning` clause of an update of `emails`: the change of each campaign figure, usually null or 0.
 * `appendFiguresSql` stores them.
 *
 * @param counters those that the update may change
 */
export const figureChangesSql = (counters: readonly CampaignCounter[] = campaignCounters) =>
  counters
    .map((name) => `(${countedSql[name]('new')})::int - (${countedSql[name]('old')})::int as ${name}_change`)
    .join(', ');

export const appendFiguresSql = (source: string, counters: readonly CampaignCounter[] = campaignCounters) => `
  insert into campaign_figure_changes (campaign_id, ${counters.join(', ')})
  select campaign_id, ${counters.map((name) => `sum(${name}_change)`).join(', ')}
  from ${source}
  where campaign_id is not null
  group by campaign_id
  having ${counters.map((name) => `sum(${name}_change) <> 0`).join(' or ')}`;
