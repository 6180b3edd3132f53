import { campaignCounters } from '../../core/campaign-rates.ts';

/** `held`: ended without being sent. */
export const campaignFigures = [...campaignCounters, 'held'] as const;
type CampaignFigure = (typeof campaignFigures)[number];
export const campaignFigureColumns = campaignFigures.join(', ');

export const countedSql: Readonly<Record<CampaignFigure, (row: string) => string>> = {
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
 * `appendFiguresSql` stores the changes.
 *
 * @param figures the figures that the update may change
 */
export const figureChangesSql = (figures: readonly CampaignFigure[] = campaignFigures) =>
  figures
    .map((name) => `(${countedSql[name]('new')})::int - (${countedSql[name]('old')})::int as ${name}_change`)
    .join(', ');

export const appendFiguresSql = (source: string, figures: readonly CampaignFigure[] = campaignFigures) => `
  insert into campaign_figure_changes (campaign_id, ${figures.join(', ')})
  select campaign_id, ${figures.map((name) => `sum(${name}_change)`).join(', ')}
  from ${source}
  where campaign_id is not null
  group by campaign_id
  having ${figures.map((name) => `sum(${name}_change) <> 0`).join(' or ')}`;
