import { campaignCounters } from '../../core/campaign-rates.ts';
import { recordOf } from '../../core/record-of.ts';

/** `held`: ended without being sent. */
export const campaignFigures = [...campaignCounters, 'held'] as const;
type CampaignFigure = (typeof campaignFigures)[number];
export const campaignFigureColumns = campaignFigures.join(', ');

/** The figures of a campaign as of the last fold, and each change since: the sum of these rows is exact. */
export const figureRowsSql = (campaignId: string) => `
  select ${campaignFigureColumns} from campaign_figures where campaign_id = ${campaignId}
  union all
  select ${campaignFigureColumns} from campaign_figure_changes where campaign_id = ${campaignId}`;

export const countedSql: Readonly<Record<CampaignFigure, (row: string) => string>> = {
  ...recordOf(campaignCounters, (name) => (row: string) => `${row}.${name}_at is not null`),
  held: (row) => `(${row}.sent_at is null and ${row}.status in ('FAILED', 'SUPPRESSED', 'CANCELLED'))`,
};

/** Columns of `counterTimes`. @param emails alias of `emails` */
export const counterTimesSql = (emails: string) =>
  campaignCounters.map((name) => `${emails}.${name}_at as "${name}At"`).join(', ');

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
