import type { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, nullableIdColumn, type Question, zeroUuid } from '../client/question.ts';
import { countEmailFigures, emailFiguresRow } from './figures.ts';
import { inPeriod, type PeriodParameters, type ProjectPeriod, toPeriodParameters } from './period.ts';

const campaignRow = emailFiguresRow.extend({ campaignId: nullableIdColumn, unsubscribed: countColumn });

export type CampaignFigures = Omit<z.output<typeof campaignRow>, 'campaignId'>;
export const campaignRankings = ['opens', 'clicks', 'sent'] as const;
export type CampaignRanking = (typeof campaignRankings)[number];

type CampaignParameters = PeriodParameters & { limit: number };
type CampaignQuestion = Question<CampaignParameters, z.output<typeof campaignRow>>;

/** An opt-out counts for the campaign whose email contained the link, once per email. */
const columns = `campaign_id AS campaignId, ${countEmailFigures}, countIf(figure = 'opted_out') AS unsubscribed`;
const ofCampaigns = `project_id = {projectId:UUID} AND ${inPeriod('occurred_at')} AND campaign_id != toUUID('${zeroUuid}')`;

/** ClickHouse does not order the type UUID by its timestamp. */
const youngestFirst = 'UUIDv7ToDateTime(campaign_id) DESC, campaign_id DESC';

const rankedBy = (ranking: CampaignRanking, figure: string): CampaignQuestion => ({
  name: `top-campaigns-${ranking}`,
  sql: `
SELECT ${columns}
FROM figure FINAL
WHERE ${ofCampaigns}
GROUP BY campaign_id
ORDER BY ${figure} DESC, ${youngestFirst}
LIMIT {limit:UInt32}`,
  row: campaignRow,
});

const rankings: Record<CampaignRanking, CampaignQuestion> = {
  opens: rankedBy('opens', 'opened'),
  clicks: rankedBy('clicks', 'clicked'),
  sent: rankedBy('sent', 'sent'),
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

const isOfCampaign = (row: z.output<typeof campaignRow>): row is FiguresOfCampaign => row.campaignId !== null;

/**
 * The top campaigns of a period, including those with a count of zero, last.
 *
 * @param limit maximum number of campaigns
 * @throws ClickHouseUnavailable
 */
export async function topCampaigns(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  ranking: CampaignRanking,
  limit: number,
): Promise<FiguresOfCampaign[]> {
  const rows = await clickhouse.query(rankings[ranking], { ...toPeriodParameters(period), limit });
  return rows.filter(isOfCampaign);
}

/**
 * Campaign figures of a period, per campaign and in total.
 *
 * @param limit maximum number of campaigns, newest first; the totals cover all
 * @throws ClickHouseUnavailable
 */
export async function campaignFigures(
  clickhouse: ClickHouse,
  period: ProjectPeriod,
  limit: number,
): Promise<{ campaigns: FiguresOfCampaign[]; totals: CampaignFigures }> {
  const parameters = { ...toPeriodParameters(period), limit: limit + 1 };
  const rows = await clickhouse.query(everyCampaign, parameters);
  const { campaignId: _, ...totals } = rows.find((row) => row.campaignId === null) ?? { ...none };
  return { campaigns: rows.filter(isOfCampaign), totals };
}

const none = {
  campaignId: null,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
};
