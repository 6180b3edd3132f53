import { expect, it } from 'vitest';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { createTestPerson } from './setup/people.ts';
import { useTestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';

/** So low that most of the emails wait longer than the test may take. */
const stack = useTestProduct({ EMAIL_RATE_PER_SECOND: '1' });

const recipients = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `${name}-${n}@example.com`);

it('a reset gives back the emails that it deletes before they leave', async () => {
  const sender = await createTestSender(stack.url);
  const owner = await createTestPerson(stack.url);
  await stack.sql(`insert into memberships (project_id, user_id, role) values ($1, $2, 'OWNER')`, [
    sender.projectId,
    owner.id,
  ]);
  const path = `/users/@me/projects/${sender.projectId}`;
  const project = (await owner.call('GET', '/users/@me/projects')).body.data[0];
  const reset = async () => {
    const { status } = await owner.call('POST', `${path}/reset`, { confirm: project.name });
    expect(status).toBe(200);
  };
  const used = async () => (await owner.call('GET', `${path}/billing-consumption`)).body.categories;
  const send = (to: string[]) =>
    sender.post('/v1/send', { to, from: `hello@${sender.domain}`, subject: 'x', body: 'x' });

  await owner.call('PUT', `${path}/billing-limits`, { transactional: 200, campaigns: 200 });
  expect((await send(recipients(190, 'first'))).status).toBe(200);
  expect((await send(recipients(20, 'second'))).status).toBe(402);
  const campaignId = await draftCampaign(sender, { type: 'TRANSACTIONAL' });
  expect((await sender.post(`/campaigns/${campaignId}/send`, {})).status).toBe(200);
  await eventually(used, ({ campaigns }) => campaigns.used === 190);
  await reset();
  // What has left, or was being handed over, still counts.
  const { transactional, campaigns } = await used();
  expect(transactional.used).toBeLessThan(100);
  expect(campaigns.used).toBeLessThan(100);
  expect((await send(recipients(100, 'third'))).status).toBe(200);
});
