import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, nullableIdColumn, type Question, zeroUuid } from '../client/question.ts';
import { countByDay, type DayParameters, inDays, limitPerDay } from './count-by-day.ts';
import { countEmailFigures, emailFigures, emailFiguresRow, noEmails } from './figures.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const campaignRow = emailFiguresRow.extend({ campaignId: nullableIdColumn, unsubscribed: countColumn });

export type CampaignFigures = Omit<z.output<typeof campaignRow>, 'campaignId'>;
export const campaignRankings = ['opens', 'clicks', 'sent'] as const;
export type CampaignRanking = (typeof campaignRankings)[number];

type CampaignParameters = PeriodParameters & { limit: number };
type CampaignQuestion = Question<CampaignParameters, z.output<typeof campaignRow>>;

/** An opt-out counts for the campaign whose email contained the link, once per email. */
const columns = `campaign_id AS campaignId, ${countEmailFigures}, countIf(figure = 'opted_out') AS unsubscribed`;
const isOfOne = `campaign_id != toUUID('${zeroUuid}')`;
const ofCampaigns = `project_id = {projectId:UUID} AND ${inPeriod} AND ${isOfOne}`;

/** ClickHouse does not order the type UUID by its timestamp. */
const youngestFirst = 'UUIDv7ToDateTime(campaign_id) DESC, campaign_id DESC';

const rankedFigure = { opens: 'opened', clicks: 'clicked', sent: 'sent' } as const;

const rankedBy = (ranking: CampaignRanking): CampaignQuestion => ({
  name: `top-campaigns-${ranking}`,
  sql: `
SELECT ${columns}
FROM figure FINAL
WHERE ${ofCampaigns}
GROUP BY campaign_id
ORDER BY ${rankedFigure[ranking]} DESC, ${youngestFirst}
LIMIT {limit:UInt32}`,
  row: campaignRow,
});

const dailyRow = campaignRow.extend({ date: z.string() });

const byDay: Question<DayParameters, z.output<typeof dailyRow>> = {
  name: 'campaigns-by-day',
  sql: `
SELECT toString(day) AS date, ${columns}
FROM figure FINAL
WHERE project_id = {projectId:UUID} AND ${inDays} AND ${isOfOne}
GROUP BY toDate(occurred_at, 'UTC') AS day, campaign_id
${limitPerDay}`,
  row: dailyRow,
};

/** The totals row has the zero UUID and comes first. */
const everyCampaign: CampaignQuestion = {
  name: 'campaign-figures',
  sql: `
SELECT ${columns}
FROM figure FINAL
WHERE ${ofCampaigns}
GROUP BY GROUPING SETS ((), (campaign_id))
ORDER BY campaign_id != toUUID('${zeroUuid}'), ${youngestFirst}
LIMIT {limit:UInt32}`,
  row: campaignRow,
};

export interface FiguresOfCampaign extends CampaignFigures {
  campaignId: string;
}

const isOfCampaign = <Row extends { campaignId: string | null }>(
  row: Row,
): row is Row & { campaignId: string } => row.campaignId !== null;

/**
 * The top campaigns of a period, including those with a count of zero, last.
 *
 * @param limit maximum number of campaigns
 */
export async function topCampaigns(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  ranking: CampaignRanking,
  limit: number,
): Promise<FiguresOfCampaign[]> {
  const daily = await countByDay(clickhouse, byDay, period, {});
  if (daily !== undefined) return rank(sumByCampaign(daily.filter(isOfCampaign)), ranking).slice(0, limit);
  const rows = await clickhouse.query(rankedBy(ranking), { ...toPeriodParameters(period), limit });
  return rows.filter(isOfCampaign);
}

function rank(campaigns: readonly FiguresOfCampaign[], ranking: CampaignRanking): FiguresOfCampaign[] {
  const figure = rankedFigure[ranking];
  return campaigns.toSorted((a, b) => b[figure] - a[figure] || (a.campaignId < b.campaignId ? 1 : -1));
}

function sumByCampaign(daily: readonly FiguresOfCampaign[]): FiguresOfCampaign[] {
  const sums = new Map<string, FiguresOfCampaign>();
  for (const row of daily) {
    const { campaignId } = row;
    const sum = sums.get(campaignId) ?? { ...none, campaignId };
    for (const name of figureNames) sum[name] += row[name];
    sums.set(campaignId, sum);
  }
  return [...sums.values()];
}

/**
 * Campaign figures of a period, per campaign and in total.
 *
 * @param limit maximum number of campaigns, newest first; the totals cover all
 */
export async function campaignFigures(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  limit: number,
): Promise<{ campaigns: FiguresOfCampaign[]; totals: CampaignFigures }> {
  const parameters = { ...toPeriodParameters(period), limit: limit + 1 };
  const rows = await clickhouse.query(everyCampaign, parameters);
  const { campaignId: _, ...totals } = rows.find((row) => row.campaignId === null) ?? {
    campaignId: null,
    ...none,
  };
  return { campaigns: rows.filter(isOfCampaign), totals };
}

const none = { ...noEmails, unsubscribed: 0 };

const figureNames = [...emailFigures, 'unsubscribed'] as const;
