import { expect, it } from 'vitest';
import { insertContacts, insertDraft, readCampaign } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertProject } from '../../test/setup/projects.ts';
import { createCampaignEstimates } from './campaigns.ts';

const database = useTestDatabase();
const { em, sql } = database;

it('counts again in a small project; in a large one the count is cached until the campaign changes', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 3);
  const id = await insertDraft(em(), projectId);
  const [large, small] = [createCampaignEstimates(database.orm, 0), createCampaignEstimates(database.orm)];
  const ask = async (estimate: typeof large) => {
    const campaign = await readCampaign(em(), id);
    if (campaign === null) throw new Error('The campaign is gone');
    return estimate(campaign);
  };
  expect(await Promise.all([ask(small), ask(large), ask(large)])).toEqual([3, 3, 3]);
  await sql(`delete from contacts where email = 'reader-1@example.com'`);
  expect([await ask(small), await ask(large)]).toEqual([2, 3]);
  await sql('update campaigns set updated_at = clock_timestamp() where id = $1', [id]);
  expect(await ask(large)).toBe(2);
});
