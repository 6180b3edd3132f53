import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { readConsumption } from '../../db/statements/billing/read-consumption.ts';
import { freezeAudience } from '../../db/statements/campaigns/freeze-audience.ts';
import {
  cancelCampaign,
  insertContacts,
  insertDraft,
  readCampaign,
  startSending,
} from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { type CampaignsService, createCampaignsService } from './campaigns.ts';
import { createProjectPlaces } from './project-places.ts';
import { createTemplateTurns } from './template-turns.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);
let campaigns: CampaignsService;
beforeAll(() => {
  const places = createProjectPlaces(0);
  campaigns = createCampaignsService(database.orm, createTemplateTurns(), {
    writes: places,
    heavyReads: places,
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A cancelled campaign of five batches with one email each, none of them cancelled yet. */
async function cancelledCampaign(): Promise<string> {
  await insertContacts(em(), project.id, 5);
  const id = await insertDraft(em(), project.id);
  await startSending(em(), id);
  await freezeAudience(em(), id, 100, 1);
  await cancelCampaign(em(), id);
  return id;
}

const emailsOf = (id: string) =>
  sql('select status, count(*)::int as emails from emails where campaign_id = $1 group by status', [id]);
const used = async () => (await readConsumption(em(), project.id)).used.campaigns;

it('cancels the unsent emails of a cancelled campaign before it is deleted', async () => {
  const id = await cancelledCampaign();
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'QUEUED', emails: 5 }], 5]);
  await campaigns.remove(project.id, id);
  expect(await readCampaign(em(), id)).toBeNull();
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'CANCELLED', emails: 5 }], 0]);
});

it('keeps a cancelled campaign with more emails left to cancel than a call has time for', async () => {
  const id = await cancelledCampaign();
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 2_000;
    return now;
  });
  await expect(campaigns.remove(project.id, id)).rejects.toMatchObject({
    code: 'CONFLICT',
    suggestion: 'Try again shortly.',
  });
  vi.restoreAllMocks();
  expect(await readCampaign(em(), id)).toMatchObject({ status: 'CANCELLED' });
  expect(await used()).toBeGreaterThan(0);
  await campaigns.remove(project.id, id);
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'CANCELLED', emails: 5 }], 0]);
});

it('keeps a cancelled campaign while a worker holds some of its emails', async () => {
  const id = await cancelledCampaign();
  await sql(
    `update emails set status = 'SENDING', claim_token = uuidv7(), claimed_at = now()
     where id = (select id from emails where campaign_id = $1 limit 1)`,
    [id],
  );
  const refusal = { code: 'CONFLICT', suggestion: expect.stringContaining('Try again') };
  await expect(campaigns.remove(project.id, id)).rejects.toMatchObject(refusal);
  expect(await readCampaign(em(), id)).toMatchObject({ status: 'CANCELLED' });
  await sql(`update emails set status = 'UNKNOWN' where campaign_id = $1 and status = 'SENDING'`, [id]);
  await campaigns.remove(project.id, id);
  expect(await readCampaign(em(), id)).toBeNull();
  expect(await emailsOf(id)).toEqual(
    expect.arrayContaining([
      { status: 'CANCELLED', emails: 4 },
      { status: 'UNKNOWN', emails: 1 },
    ]),
  );
});
