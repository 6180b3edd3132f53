import { expect, it } from 'vitest';
import { Campaign } from '../../../db/entities/campaign.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { sql } from '../../../db/testing/sql.ts';
import { insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { useSlowClock } from '../../../test/setup/slow-clock.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import { createCampaignActivities } from './create-campaign-activities.ts';
import { createFirstPieces } from './head-start.ts';

const database = useTestDatabase();
const { em } = database;

async function startCampaign(): Promise<string> {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 1_000);
  const campaignId = await insertDraft(em(), projectId);
  await startSending(em(), campaignId);
  return campaignId;
}

const createActivities = () =>
  createCampaignActivities({
    orm: database.orm,
    unknownSeconds: 60,
    headStart: { look: () => undefined },
    committed: () => undefined,
  });

const frozen = async (campaignId: string) =>
  (await em().findOneOrFail(Campaign, campaignId, allProjects)).totalRecipients;

it('a freeze whose first piece is slow goes on with small pieces, also in its next activity', async () => {
  const campaignId = await startCampaign();
  const { freezeAudience } = createActivities();
  useSlowClock();
  expect(await freezeAudience({ campaignId })).toBe(false);
  expect(await frozen(campaignId)).toBe(210);
  expect(await freezeAudience({ campaignId })).toBe(false);
  expect(await frozen(campaignId)).toBe(220);
});

it('a piece that takes too long is repeated with fewer contacts', async () => {
  const campaignId = await startCampaign();
  const { freezeAudience } = createActivities();
  await em().transactional(async (own) => {
    await sql(own, 'lock table emails in share mode');
    const freezing = freezeAudience({ campaignId });
    await untilBlocking(own);
    // Ends its statement as the limit does.
    await sql(
      own,
      'select pg_cancel_backend(pid) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
    );
    expect(await freezing).toBe(false);
  });
  useSlowClock();
  expect(await freezeAudience({ campaignId })).toBe(false);
  expect(await frozen(campaignId)).toBe(30);
});

it('a head start whose first piece is slow goes on with a small one', async () => {
  const campaignId = await startCampaign();
  const { begin, stop } = createFirstPieces({
    orm: database.orm,
    look: () => undefined,
    warn: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  useSlowClock();
  begin(campaignId);
  // It would not begin the second piece.
  while ((await frozen(campaignId)) < 210);
  await stop();
  expect(await frozen(campaignId)).toBe(210);
});
