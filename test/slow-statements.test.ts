import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { useTestProduct } from './setup/product.ts';
import { planIs } from './setup/segments.ts';
import { createTestSender } from './setup/sender.ts';

const product = useTestProduct({ DATABASE_LOCK_TIMEOUT_SECONDS: '1' });

const condition = planIs('pro');

it('what is saved is not refused because its contacts can not be counted in time', async () => {
  const sender = await createTestSender(product.url);
  await sender.post('/contacts', { email: 'ada@example.com', data: { plan: 'pro' } });
  await product.em().transactional(async (em) => {
    await sql(em, 'lock table contacts in access exclusive mode');
    const segment = await sender.post('/segments', { name: 'Paying', condition });
    expect([segment.status, segment.body.memberCount]).toEqual([201, 0]);
    const content = { name: 'News', subject: 'News', body: '<p>News</p>', from: `news@${sender.domain}` };
    const audience = { audienceType: 'FILTERED', audienceCondition: condition };
    const campaign = await sender.post('/campaigns', { ...content, ...audience });
    expect([campaign.status, campaign.body.data.totalRecipients]).toEqual([201, 0]);
    expect(await sender.get(`/campaigns/${campaign.body.data.id}`)).toMatchObject({
      status: 200,
      body: { data: { totalRecipients: 0 } },
    });
  });
});

it('what is deleted is not refused because its rows can not be deleted in time', async () => {
  const sender = await createTestSender(product.url);
  await sender.post('/contacts', { email: 'ada@example.com' });
  const { body: segment } = await sender.post('/segments', { name: 'Hand-picked', type: 'STATIC' });
  await sender.post(`/segments/${segment.id}/members`, { emails: ['ada@example.com'] });
  const { body: workflow } = await sender.post('/workflows', { name: 'Welcome', eventName: 'signup' });
  await product.em().transactional(async (em) => {
    await sql(em, 'lock table segment_members, workflow_versions in share mode');
    for (const path of [`/segments/${segment.id}`, `/workflows/${workflow.id}`]) {
      expect((await sender.delete(path)).status).toBeLessThan(300);
    }
  });
});
