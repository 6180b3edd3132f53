import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../db/testing/sql.ts';
import { insertContacts, insertDraft, insertProject, readCampaign } from '../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { createCampaignEstimates } from './campaign-estimates.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('counts again in a small project; in a large one the count is kept until the campaign changes', async () => {
  const em = database.orm.em.fork();
  const projectId = await insertProject(em);
  await insertContacts(em, projectId, 3);
  const id = await insertDraft(em, projectId);
  const [large, small] = [createCampaignEstimates(database.orm, 0), createCampaignEstimates(database.orm)];
  const ask = async (estimate: typeof large) => {
    const campaign = await readCampaign(em, id);
    if (campaign === null) throw new Error('The campaign is gone');
    return estimate(campaign);
  };
  expect(await Promise.all([ask(small), ask(large), ask(large)])).toEqual([3, 3, 3]);
  await sql(em, `delete from contacts where email = 'reader-1@example.com'`);
  expect([await ask(small), await ask(large)]).toEqual([2, 3]);
  await sql(em, 'update campaigns set updated_at = clock_timestamp() where id = $1', [id]);
  expect(await ask(large)).toBe(2);
});
