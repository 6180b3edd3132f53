import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createOrm, type Orm } from '../../db/orm.ts';
import { freezeAudience } from '../../db/statements/campaigns/freeze-audience.ts';
import { sql } from '../../db/testing/sql.ts';
import { insertContacts, insertDraft, startSending } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { createCampaignSendingService } from './campaign-sending.ts';

const database = useTestDatabase();
const { em } = database;
const project = useProject(em);
let orm: Orm;
beforeAll(() => {
  const limits = { statementMs: 10_000, lockMs: 500 };
  orm = createOrm({ url: database.url, poolSize: 4, limits, warn: () => undefined });
  return () => orm.close();
});

it('a campaign is cancelled although something holds its emails', async () => {
  await insertContacts(em(), project.id, 3);
  const id = await insertDraft(em(), project.id);
  await startSending(em(), id);
  await freezeAudience(em(), id, 100);
  const holder = em();
  await holder.begin();
  onTestFinished(() => holder.rollback());
  await sql(holder, 'select from emails where campaign_id = $1 for update', [id]);
  const { campaign } = await createCampaignSendingService(orm, () => undefined).cancel(project.id, id);
  expect(campaign.status).toBe('CANCELLED');
});
