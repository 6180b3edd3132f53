import { z } from 'zod';
import { recordOf } from '../../../core/record-of.ts';
import type { Campaign } from '../../entities/campaign.ts';
import { campaignFigures, figureRowsSql } from '../../fragments/campaign-figures-sql.ts';
import { campaignPauseSql, campaignPauses } from '../../fragments/campaign-pause-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const countersSchema = z.object(recordOf(campaignFigures, () => z.int()));
const countedSchema = countersSchema.extend({ id: z.uuid(), pause: z.enum(campaignPauses).nullable() });

export interface CountedCampaign {
  campaign: Campaign;
  counters: z.output<typeof countersSchema>;
  /** Why a SENDING campaign is paused; null otherwise. */
  pause: z.output<typeof countedSchema>['pause'];
}

const sums = campaignFigures.map((name) => `(coalesce(sum(${name}), 0))::int as ${name}`).join(', ');

// A single statement sees a concurrent fold completely or not at all, so no change is counted twice.
const readSql = `
select k.id, figures.*, (
  select ${campaignPauseSql('c', 'p')}
  from campaigns c
  join projects p on p.id = c.project_id
  where c.id = k.id and c.status = 'SENDING'
) as pause
from unnest($1::uuid[]) as k (id)
cross join lateral (
  select ${sums} from (${figureRowsSql('k.id')}) f
) figures`;

export async function withCounters(em: Em, campaigns: readonly Campaign[]): Promise<CountedCampaign[]> {
  const ids = campaigns.map(({ id }) => id);
  const rows = await query(em, countedSchema, readSql, [ids]);
  const byId = new Map(rows.map(({ id, pause, ...counters }) => [id, { counters, pause }]));
  return campaigns.flatMap((campaign) => {
    const counted = byId.get(campaign.id);
    return counted === undefined ? [] : [{ campaign, ...counted }];
  });
}

/** A campaign of which no email has been written. */
export const withoutEmails = (campaign: Campaign): CountedCampaign => ({
  campaign,
  counters: recordOf(campaignFigures, () => 0),
  pause: null,
});

export async function withItsCounters(em: Em, campaign: Campaign): Promise<CountedCampaign> {
  const [counted] = await withCounters(em, [campaign]);
  if (counted === undefined) throw new Error(`The counters of campaign ${campaign.id} are missing`);
  return counted;
}
