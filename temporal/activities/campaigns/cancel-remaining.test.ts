import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import {
  age,
  claim,
  database,
  em,
  openBatches,
  record,
  start,
  statuses,
  unknownSeconds,
  useCampaignStage,
} from '../../../db/statements/campaigns/testing/campaign-stage.ts';
import { recordHandOvers } from '../../../db/statements/emails/hand-overs.ts';
import { sql } from '../../../db/testing/sql.ts';
import { cancelCampaign } from '../../../test/setup/campaigns.ts';
import { createCampaignActivities } from './create-campaign-activities.ts';

useCampaignStage();

const cancelRemaining = (input: { campaignId: string }) =>
  createCampaignActivities({
    orm: database.orm,
    unknownSeconds,
    headStart: { look: () => undefined },
    committed: () => undefined,
  }).cancelRemaining(input);

it('emails put back while their campaign is canceled are canceled too', async () => {
  const campaignId = await start(3);
  const token = uuidv7();
  const claimed = await claim(campaignId, 500, token);
  const isRecorded = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  // The statement of a stopping run begins before the cancel commits and ends after it.
  const recording = database.em().transactional(async (own) => {
    const queued = claimed.map((email) => record(email, { status: 'QUEUED', messageId: null }));
    await recordHandOvers(own, token, queued);
    isRecorded.resolve();
    await mayCommit.promise;
  });
  await isRecorded.promise;
  await cancelCampaign(em, campaignId);
  const remaining = cancelRemaining({ campaignId });
  await delay(300);
  mayCommit.resolve();
  await recording;
  // As the workflow does: 0 ends it.
  let rounds = 1;
  for (let left = await remaining; left > 0 && rounds < 5; rounds += 1)
    left = await cancelRemaining({ campaignId });
  expect(rounds).toBeLessThan(5);
  expect(await statuses(campaignId)).toMatchObject({ CANCELLED: 3 });
  expect(await openBatches(campaignId)).toEqual([]);
});

it('canceling a campaign reaches its last batch, however many there are', async () => {
  const campaignId = await start(3);
  await claim(campaignId);
  await sql(em, 'update campaign_batches set number = 2000 where campaign_id = $1', [campaignId]);
  await sql(
    em,
    `insert into campaign_batches (campaign_id, number, first_email_id, last_email_id, recipients)
     select $1, number, uuidv7(), uuidv7(), 1 from generate_series(1, 1100) number`,
    [campaignId],
  );
  await age(campaignId, 3_600);
  await cancelCampaign(em, campaignId);
  while ((await cancelRemaining({ campaignId })) > 0);
  expect(await openBatches(campaignId)).toEqual([]);
  expect(await statuses(campaignId)).toEqual({ UNKNOWN: 3 });
});
