import { expect, it } from 'vitest';
import {
  claim,
  database,
  start,
  unknownSeconds,
  useCampaignStage,
} from '../../../db/statements/campaigns/testing/campaign-stage.ts';
import { sql } from '../../../db/testing/sql.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import { createCampaignActivities } from './create-campaign-activities.ts';

useCampaignStage();

/** A worker has ten slots for local activities on two cores. */
const many = 20;

it('campaigns of a project that read all their emails at once are put off', async () => {
  const { settleCampaign } = createCampaignActivities({
    orm: database.orm,
    unknownSeconds,
    headStart: { look: () => undefined },
    committed: () => undefined,
  });
  const campaigns: string[] = [];
  for (let n = 0; n < many; n += 1) {
    const campaignId = await start(n === 0 ? 1 : 0);
    await claim(campaignId);
    campaigns.push(campaignId);
  }
  const settling: Promise<unknown>[] = [];
  await database.em().transactional(async (own) => {
    await sql(own, 'lock table emails in access exclusive mode');
    settling.push(...campaigns.map((campaignId) => settleCampaign({ campaignId }).catch((error) => error)));
    const first = await Promise.race([...settling, untilBlocking(own, 10).then(() => 'ten are reading')]);
    expect(first).toMatchObject({ category: 'BENIGN' });
  });
  await Promise.all(settling);
});
