import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createTemplateCache } from '../../core/rendering/template-cache.ts';
import type { Em } from '../../db/orm.ts';
import { readConsumption } from '../../db/statements/billing/read-consumption.ts';
import { freezeAudience } from '../../db/statements/campaigns/freeze-audience.ts';
import { sql } from '../../db/testing/sql.ts';
import {
  cancelCampaign,
  insertContacts,
  insertDraft,
  insertProject,
  readCampaign,
  startSending,
} from '../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { type CampaignsService, createCampaignsService } from './campaigns.ts';
import { createHeavyReads } from './heavy-reads.ts';

let database: TestDatabase;
let campaigns: CampaignsService;
let em: Em;
let projectId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  campaigns = createCampaignsService(database.orm, createTemplateCache(), createHeavyReads(0));
});
afterAll(() => database.close());
beforeEach(async () => {
  em = database.orm.em.fork();
  projectId = await insertProject(em);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A campaign of five batches of one email each that was cancelled, and of which nothing else is cancelled yet. */
async function cancelledCampaign(): Promise<string> {
  await insertContacts(em, projectId, 5);
  const id = await insertDraft(em, projectId);
  await startSending(em, id);
  await freezeAudience(em, id, 100, 1);
  await cancelCampaign(em, id);
  return id;
}

const emailsOf = (id: string) =>
  sql(em, 'select status, count(*)::int as emails from emails where campaign_id = $1 group by status', [id]);
const used = async () => (await readConsumption(em, projectId)).used.campaigns;

it('cancels what has not left of a cancelled campaign before it is deleted', async () => {
  const id = await cancelledCampaign();
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'QUEUED', emails: 5 }], 5]);
  await campaigns.remove(projectId, id);
  expect(await readCampaign(em, id)).toBeNull();
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'CANCELLED', emails: 5 }], 0]);
});

it('keeps a cancelled campaign of which more is left to cancel than a call has time for', async () => {
  const id = await cancelledCampaign();
  let now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 2_000;
    return now;
  });
  await expect(campaigns.remove(projectId, id)).rejects.toMatchObject({
    code: 'CONFLICT',
    suggestion: 'Try again shortly.',
  });
  vi.restoreAllMocks();
  expect(await readCampaign(em, id)).toMatchObject({ status: 'CANCELLED' });
  expect(await used()).toBeGreaterThan(0);
  await campaigns.remove(projectId, id);
  expect([await emailsOf(id), await used()]).toEqual([[{ status: 'CANCELLED', emails: 5 }], 0]);
});
