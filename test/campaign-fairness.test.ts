import { expect, it } from 'vitest';
import { sendCampaign } from './setup/campaign-outcome.ts';
import { insertContacts } from './setup/campaigns.ts';
import { eventually } from './setup/eventually.ts';
import { useTestProduct } from './setup/product.ts';
import { readEmail } from './setup/read-database.ts';
import { createTestSender } from './setup/sender.ts';

/** The provider's rate for all projects together, so low that the large campaign takes longer than the test may. */
const ratePerSecond = 25;
const recipients = { large: 10_000, small: 100 };

const stack = useTestProduct({ EMAIL_RATE_PER_SECOND: String(ratePerSecond) });

async function sentOf(campaignId: string): Promise<number> {
  const [row] = await stack.sql<{ count: number }>(
    'select count(sent_at)::int as count from emails where campaign_id = $1',
    [campaignId],
  );
  return row?.count ?? 0;
}

it('a large campaign holds up neither a small one of another project nor transactional email', async () => {
  const [large, small] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  await insertContacts(stack.em(), large.projectId, recipients.large);
  await insertContacts(stack.em(), small.projectId, recipients.small);
  const largeId = await sendCampaign(large, 'Large');
  await eventually(
    () => sentOf(largeId),
    (sent) => sent > ratePerSecond,
  );

  const smallId = await sendCampaign(small, 'Small');
  await eventually(
    () => small.get(`/campaigns/${smallId}`),
    ({ body }) => body.data.status === 'SENT',
  );
  const transactional = await small.post('/v1/send', {
    to: 'reader@example.org',
    from: `hello@${small.domain}`,
    subject: 'Receipt',
    body: '<p>Thank you</p>',
  });
  expect(transactional.status).toBe(200);
  await eventually(
    () => readEmail(stack.em(), transactional.body.data.emails[0].email),
    (email) => email?.sentAt !== null,
  );
  expect((await large.get(`/campaigns/${largeId}`)).body.data.status).toBe('SENDING');
  expect((await large.post(`/campaigns/${largeId}/cancel`, {})).status).toBe(200);

  // In the middle of the small campaign, both had about the same share of the rate. At its start and end, a busy
  // machine delays single calls of one or the other.
  const [beside] = await stack.sql<{ sent: number }>(
    `select count(*)::int as sent
     from (
       select percentile_disc(0.1) within group (order by sent_at) as first,
         percentile_disc(0.9) within group (order by sent_at) as last
       from emails where campaign_id = $1
     ) small
     join emails e on e.campaign_id = $2 and e.sent_at between first and last`,
    [smallId, largeId],
  );
  expect(beside?.sent).toBeLessThan(2.5 * 0.8 * recipients.small);
});
