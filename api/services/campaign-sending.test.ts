import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { createOrm, type Orm } from '../../db/orm.ts';
import { freezeAudience } from '../../db/statements/campaigns/freeze-audience.ts';
import { sql } from '../../db/testing/sql.ts';
import { insertContacts, insertDraft, startSending } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { untilBlocking } from '../../test/setup/until-blocking.ts';
import { createCampaignSendingService } from './campaign-sending.ts';
import { createProjectPlaces } from './project-places.ts';

const unlimited = { writes: createProjectPlaces(0), heavyReads: createProjectPlaces(0) };
const database = useTestDatabase();
const { em } = database;
const project = useProject(em);
let orm: Orm;
beforeAll(() => {
  const limits = { statementMs: 10_000, lockMs: 500 };
  orm = createOrm({ url: database.url, poolSize: 4, limits, warn: () => undefined });
  return () => orm.close();
});

/** A campaign that is being sent, and a transaction that holds its emails. */
async function heldCampaign(places = unlimited) {
  await insertContacts(em(), project.id, 3);
  const id = await insertDraft(em(), project.id);
  await startSending(em(), id);
  await freezeAudience(em(), id, 100);
  const holder = em();
  await holder.begin();
  onTestFinished(async () => {
    if (holder.isInTransaction()) await holder.rollback();
  });
  await sql(holder, 'select from emails where campaign_id = $1 for update', [id]);
  return { id, holder, sending: createCampaignSendingService(orm, places, () => undefined) };
}

it('a campaign is cancelled although something holds its emails', async () => {
  const { id, sending } = await heldCampaign();
  const { campaign } = await sending.cancel(project.id, id);
  expect(campaign.status).toBe('CANCELLED');
});

it('a cancellation is answered as such although another call deletes the campaign meanwhile', async () => {
  const { id, holder, sending } = await heldCampaign();
  const cancelling = sending.cancel(project.id, id);
  await untilBlocking(holder);
  await sql(em(), 'delete from campaigns where id = $1', [id]);
  const { campaign } = await cancelling;
  expect(campaign).toMatchObject({ id, status: 'CANCELLED' });
});

it('a write of another project has its turn between the batches that a cancellation ends', async () => {
  const inAll = new FairSemaphore(1);
  const writes = createProjectPlaces(Number.POSITIVE_INFINITY, { inAll });
  const { id, holder, sending } = await heldCampaign({ ...unlimited, writes });
  await sql(
    em(),
    `insert into campaign_batches (campaign_id, number, first_email_id, last_email_id, recipients)
     select $1, number, uuidv7(), uuidv7(), 1 from generate_series(101, 102) number`,
    [id],
  );
  const openBatches = async () =>
    (await sql(em(), 'select from campaign_batches where campaign_id = $1 and ended_at is null', [id]))
      .length;
  const cancelling = sending.cancel(project.id, id);
  await untilBlocking(holder);
  const inTurn = writes.run('other', openBatches);
  await holder.rollback();
  expect(await inTurn).toBe(2);
  await cancelling;
  expect(await openBatches()).toBe(0);
});
