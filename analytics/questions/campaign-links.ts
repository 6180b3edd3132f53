import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../client/question.ts';

const row = z.object({ link: z.string(), clicks: countColumn, uniqueClicks: countColumn });

export type CampaignLink = z.output<typeof row>;

type Parameters = { projectId: string; campaignId: string; since: string; limit: number };

/**
 * Each of a recipient's own pages counts as one link, whatever its template appends to the address, which also keeps the
 * tokens in the links secret.
 */
const ownPage = '^https?://.*/(unsubscribe|subscribe|manage|view)/[A-Za-z0-9_-]{64}(?:[^A-Za-z0-9_-].*)?$';

/** Without FINAL, which would read the data of all events of the project, not only of these clicks. */
const question: Question<Parameters, CampaignLink> = {
  name: 'campaign-links',
  sql: `
SELECT
  replaceRegexpOne(JSONExtractString(data, 'link'), '${ownPage}', '{{ \\\\1Url }}') AS link,
  uniqExact(event_id) AS clicks,
  uniqExact(email_id) AS uniqueClicks
FROM event
WHERE project_id = {projectId:UUID} AND campaign_id = {campaignId:UUID}
  AND occurred_at >= {since:DateTime64(3, 'UTC')} AND activity_type = 'email.clicked'
GROUP BY link
HAVING link != ''
ORDER BY uniqueClicks DESC, link
LIMIT {limit:UInt32}`,
  row,
};

/**
 * The links of a campaign that recipients followed, most recipients first.
 *
 * @param since instant before which nothing happened to the campaign
 */
export function campaignLinks(
  clickhouse: ClickHouse,
  campaign: { projectId: string; campaignId: string; since: Date },
  limit: number,
): Promise<CampaignLink[]> {
  const { projectId, campaignId, since } = campaign;
  return clickhouse.query(question, { projectId, campaignId, since: toInstantParameter(since), limit });
}
