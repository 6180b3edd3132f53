import { beforeEach, expect, it } from 'vitest';
import { contactsInFirstPiece } from '../core/campaign-batches.ts';
import { sql } from '../db/testing/sql.ts';
import { insertContacts } from './setup/campaigns.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { createSegment, memberOf, planIs, putContact, where } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking } from './setup/until-blocking.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
beforeEach(async () => {
  const ids: string[] = [];
  for (let index = 1; index <= 5; index += 1) ids.push(await putContact(sender, index, 'pro'));
  await putContact(sender, 6, 'free');
  await run('update contacts set subscribed = false where id = $1', ids[0]);
  await run(`update contacts set subscribed = false, snoozed_until = now() + '1 day' where id = $1`, ids[1]);
  await run(
    `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now() where id = $1`,
    ids[2],
  );
});

const run = (text: string, id: unknown) => stack.sql(text, [id]);
const count = (changes: object = {}) =>
  sender.post('/campaigns/audience', { type: 'MARKETING', audienceType: 'ALL', ...changes });
const none = { unsubscribed: 0, snoozed: 0, suppressed: 0 };
const each = { unsubscribed: 1, snoozed: 1, suppressed: 1 };
const pro = { audienceType: 'FILTERED', audienceCondition: planIs('pro') };

it('counts the recipients of a campaign, and the excluded contacts by reason', async () => {
  expect((await count()).body).toEqual({ total: 6, recipients: 3, excluded: each });
  expect((await count({ type: 'HEADLESS', ...pro })).body).toEqual({
    total: 5,
    recipients: 2,
    excluded: each,
  });
  expect((await count({ type: 'TRANSACTIONAL' })).body).toEqual({ total: 6, recipients: 6, excluded: none });
  const { id: segmentId } = await createSegment(sender, { condition: planIs('free') });
  expect((await count({ audienceType: 'SEGMENT', segmentId })).body).toEqual({
    total: 1,
    recipients: 1,
    excluded: none,
  });
});

it('excludes suppressed contacts from transactional campaigns if the project withholds those emails', async () => {
  await run('update projects set suppress_transactional = true where id = $1', sender.projectId);
  expect((await count({ type: 'TRANSACTIONAL' })).body).toEqual({
    total: 6,
    recipients: 5,
    excluded: { ...none, suppressed: 1 },
  });
});

it('counts for a campaign what it would send', async () => {
  const content = { name: 'News', subject: 'News', body: '<p>News</p>', from: `news@${sender.domain}` };
  const { body } = await sender.post('/campaigns', { ...content, ...pro });
  const answer = await sender.get(`/campaigns/${body.data.id}/audience`);
  expect([answer.status, answer.body]).toEqual([200, { total: 5, recipients: 2, excluded: each }]);
  expect(body.data.totalRecipients).toBe(2);
  const other = await createTestSender(stack.url);
  expect((await other.get(`/campaigns/${body.data.id}/audience`)).status).toBe(404);
});

it('reports the errors of an audience as a campaign does', async () => {
  const condition = where({ field: 'nothing', operator: 'equals' });
  const { status, body } = await count({ audienceType: 'FILTERED', audienceCondition: condition });
  expect(status).toBe(400);
  expect(body.error.errors[0].field).toBe('audienceCondition.groups.0.filters.0.field');
  expect((await count({ audienceType: 'SEGMENT' })).status).toBe(400);
});

it('stays that of its start: until its recipients are frozen, nobody edits the condition of its segment', async () => {
  // More than the first piece of a freeze.
  const readers = contactsInFirstPiece + 50;
  await insertContacts(stack.em(), sender.projectId, readers);
  const isReader = where({ field: 'data.n', operator: 'greaterThan', value: 0 });
  const inner = await createSegment(sender, { condition: isReader });
  const outer = await createSegment(sender, { condition: memberOf(inner.id) });
  const id = await draftCampaign(sender, { audienceType: 'SEGMENT', segmentId: outer.id });
  const edit = { condition: planIs('pro') };
  await stack.em().transactional(async (em) => {
    // Stops the freeze within its first piece.
    await sql(em, 'lock table emails in share mode');
    expect((await sender.post(`/campaigns/${id}/send`, {})).status).toBe(200);
    await untilBlocking(em);
    const refused = await sender.patch(`/segments/${inner.id}`, edit);
    expect([refused.status, refused.body.error?.details]).toEqual([
      409,
      { campaigns: [{ id, name: 'News' }] },
    ]);
    expect((await sender.patch(`/segments/${inner.id}`, { name: 'Readers' })).status).toBe(200);
  });
  const sent = await eventually(
    () => sender.get(`/campaigns/${id}`),
    ({ body }) => body.data.status === 'SENT',
  );
  expect(sent.body.data.totalRecipients).toBe(readers);
  expect((await sender.patch(`/segments/${inner.id}`, edit)).status).toBe(200);
});
