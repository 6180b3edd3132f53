import { beforeAll, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { onlyMessageTo, reportEvent } from './setup/inbox.ts';
import { createTestSender, useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useOneSender(stack);
let path: string;
const mailbox = (name: string) => `${name}@simulator.amazonses.com`;
const names = ['success+r1', 'success+r2', 'success+r3', 'bounce', 'complaint'];
const offer = 'https://shop.example/offer';
const leaveLinkIn = (html: string) => /http[^"]+\/unsubscribe\/[\w-]+/.exec(html)?.[0] ?? '';

beforeAll(async () => {
  for (const name of names) await sender.post('/contacts', { email: mailbox(name) });
  // By a process whose clock is ahead.
  await stack.sql(`update contacts set created_at = now() + interval '1 hour' where email = $1`, [
    mailbox('success+r3'),
  ]);
  const content = { name: 'News', subject: 'News', body: '<p>News</p>', from: `news@${sender.domain}` };
  const { body } = await sender.post('/campaigns', { ...content, audienceType: 'ALL' });
  path = `/campaigns/${body.data.id}`;
  await sender.post(`${path}/send`, {});
  const message = await onlyMessageTo(stack.ses, mailbox('success+r1'));
  for (const link of [offer, offer, leaveLinkIn(message.html)])
    await reportEvent(stack.ses, message.id, { type: 'click', link });
  const second = await onlyMessageTo(stack.ses, mailbox('success+r2'));
  const leave = leaveLinkIn(second.html);
  for (const link of [offer, `${leave}?utm_source=news#leave`, `${leave}/`])
    await reportEvent(stack.ses, second.id, { type: 'click', link });
});

const list = async (query: string) => (await sender.get(`${path}/recipients?${query}`)).body;
const namesOf = async (outcome: string) =>
  (await list(`outcome=${outcome}`)).data.map(({ email }: { email: string }) => email.split('@')[0]);

it('lists recipients by the outcome of their email', async () => {
  const isOver = (found: string[][]) => found.map(({ length }) => length).join() === '5,4,2,2,1,1';
  const outcomes = ['sent', 'delivered', 'clicked', 'unopened', 'bounced', 'complained'];
  const found = await eventually(() => Promise.all(outcomes.map(namesOf)), isOver);
  expect(found).toEqual([
    names,
    names.filter((name) => name !== 'bounce'),
    names.slice(0, 2),
    ['success+r3', 'complaint'],
    ['bounce'],
    ['complaint'],
  ]);
  for (const outcome of ['unsubscribed', 'failed', 'skipped', 'pending'])
    expect(await namesOf(outcome)).toEqual([]);
  const [clicked] = (await list('outcome=clicked')).data;
  expect(clicked).toEqual({
    emailId: expect.any(String),
    contactId: expect.any(String),
    email: mailbox('success+r1'),
    status: 'CLICKED',
    reason: null,
    sentAt: expect.any(String),
    deliveredAt: expect.any(String),
    openedAt: expect.any(String),
    clickedAt: expect.any(String),
    bouncedAt: null,
    complainedAt: null,
    unsubscribedAt: null,
    opens: 0,
    clicks: 3,
  });
});

it('says why an email bounced', async () => {
  const { data } = await eventually(
    () => list('outcome=bounced'),
    (page) => page.data.length === 1,
  );
  expect(data[0]).toMatchObject({ status: 'BOUNCED', reason: 'smtp; 550 5.1.1 user unknown' });
});

it('pages through them, each once', async () => {
  const all: string[] = [];
  let cursor = '';
  do {
    const page = await list(`limit=2&cursor=${cursor}`.replace(/&cursor=$/, ''));
    all.push(...page.data.map(({ email }: { email: string }) => email));
    expect(page.hasMore).toBe(page.cursor !== null);
    cursor = page.cursor ?? '';
  } while (cursor !== '');
  expect(all).toEqual(names.map(mailbox));
});

it("counts the clicked links; links to recipients' own pages count as one, without the token", async () => {
  const { data } = await eventually(
    async () => (await sender.get(`${path}/links`)).body,
    (body) => body.data.reduce((sum: number, link: { clicks: number }) => sum + link.clicks, 0) === 6,
  );
  expect(data).toEqual([
    { link: offer, clicks: 3, uniqueClicks: 2 },
    { link: '{{ unsubscribeUrl }}', clicks: 3, uniqueClicks: 2 },
  ]);
});

it('belong to the project', async () => {
  const other = await createTestSender(stack.url);
  for (const part of ['recipients', 'links']) expect((await other.get(`${path}/${part}`)).status).toBe(404);
});
