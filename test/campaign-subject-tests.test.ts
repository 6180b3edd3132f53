import { describe, expect, it } from 'vitest';
import type { TestAnswer } from './setup/answer.ts';
import { createSegment, memberOf, planIs, where } from './setup/segments.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const other = useSender(stack);

interface Draft {
  id: string;
  name: string;
  subject: string;
  status: string;
  totalRecipients: number;
}

async function create(changes: object = {}): Promise<TestAnswer['body']> {
  const content = { name: 'News', subject: 'One', body: '<p>News</p>', from: `news@${sender.domain}` };
  const answer = await sender.post('/campaigns', { ...content, audienceType: 'ALL', ...changes });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data;
}

const split = (id: string, body: object = { subject: 'Two', percent: 10 }) =>
  sender.post(`/campaigns/${id}/subject-test`, body);

async function addContacts(count: number, data: object = {}): Promise<void> {
  const emails = Array.from({ length: count }, (_, at) => `${at}.${JSON.stringify(data).length}@example.com`);
  const answers = await Promise.all(emails.map((email) => sender.post('/contacts', { email, data })));
  for (const { status } of answers) expect(status).toBe(201);
}

async function listed(): Promise<Draft[]> {
  return (await sender.get('/campaigns?sort=name&dir=asc')).body.data;
}

describe('a test of two subjects', () => {
  it('makes three drafts of one, among which each recipient is once', async () => {
    await addContacts(60);
    const { id } = await create({ description: 'A note', fromName: 'Shop', replyTo: 'help@example.com' });
    const answer = await split(id, { subject: 'Two', percent: 20 });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const [own, other, rest]: Draft[] = answer.body.data;
    expect([own?.id, own?.name, own?.subject]).toEqual([id, 'News (A)', 'One']);
    expect([other?.name, other?.subject, rest?.name, rest?.subject]).toEqual([
      'News (B)',
      'Two',
      'News (the rest)',
      'One',
    ]);
    for (const draft of answer.body.data) {
      const content = { description: 'A note', fromName: 'Shop', replyTo: 'help@example.com' };
      expect(draft).toMatchObject({ status: 'DRAFT', audienceType: 'FILTERED', ...content });
      expect((await sender.get(`/campaigns/${draft.id}`)).body.data).toEqual(draft);
    }
    const drafts: Draft[] = answer.body.data;
    expect(drafts.reduce((sum, { totalRecipients }) => sum + totalRecipients, 0)).toBe(60);
    const audiences = await Promise.all(
      answer.body.data.map(({ audienceCondition }: TestAnswer['body']) =>
        sender.post('/segments', { name: crypto.randomUUID(), condition: audienceCondition }),
      ),
    );
    const members = await Promise.all(
      audiences.map(({ body }) => sender.get(`/segments/${body.id}/contacts?pageSize=100`)),
    );
    const ids = members.flatMap(({ body }) => body.data.map((contact: { id: string }) => contact.id));
    expect(new Set(ids).size).toBe(60);
    expect(ids).toHaveLength(60);
  });

  it('of halves makes two drafts', async () => {
    await addContacts(10);
    const answer = await split((await create()).id, { subject: 'Two', percent: 50 });
    expect(answer.body.data.map(({ name }: Draft) => name)).toEqual(['News (A)', 'News (B)']);
    const drafts: Draft[] = answer.body.data;
    expect(drafts.reduce((sum, { totalRecipients }) => sum + totalRecipients, 0)).toBe(10);
  });

  it('stays within the audience', async () => {
    await addContacts(6, { plan: 'pro' });
    await addContacts(4);
    const either = { logic: 'OR', groups: [...planIs('pro').groups, ...planIs('team').groups] };
    const segmentId = (await sender.post('/segments', { name: 'Pro', condition: either })).body.id;
    const audiences = [
      { audienceType: 'SEGMENT', segmentId },
      { audienceType: 'FILTERED', audienceCondition: either },
      { audienceType: 'FILTERED', audienceCondition: memberOf(segmentId) },
    ];
    for (const audience of audiences) {
      const drafts: Draft[] = (await split((await create(audience)).id)).body.data;
      expect(drafts.reduce((sum, { totalRecipients }) => sum + totalRecipients, 0)).toBe(6);
    }
  });

  it('leaves everything as it was when it is refused', async () => {
    const { id, updatedAt } = await create();
    const random = where({ field: 'randomGroup', operator: 'lessThan', value: 50 });
    const narrowed = await create({ audienceType: 'FILTERED', audienceCondition: random });
    const { id: segmentId } = await createSegment(sender, { condition: random });
    const around = await createSegment(sender, { condition: memberOf(segmentId) });
    const sampled = await create({ audienceType: 'SEGMENT', segmentId: around.id });
    const scheduled = await create();
    await sender.post(`/campaigns/${scheduled.id}/send`, { scheduledFor: '2100-01-01T00:00:00Z' });
    const before = await listed();
    const stale = { 'If-Match': '2026-01-01T00:00:00.000Z' };
    const path = `/campaigns/${id}/subject-test`;
    const answers = [
      await split(id, { subject: '{% if %}', percent: 10 }),
      await split(scheduled.id),
      await split(narrowed.id),
      await split(sampled.id),
      await sender.post(path, { subject: 'Two', percent: 10 }, stale),
      await split(id, { subject: 'Two', percent: 51 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 409, 422]);
    expect(answers[1]?.body.error.message).toContain('must be DRAFT');
    for (const { body } of answers.slice(2, 4)) expect(body.error.message).toContain('random');
    expect(await listed()).toEqual(before);

    const seen = { 'If-Match': updatedAt };
    const twice = await Promise.all(
      [1, 2].map(() => sender.post(path, { subject: 'Two', percent: 10 }, seen)),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await listed()).toHaveLength(before.length + 2);
  });

  it('is made once, however many calls arrive together, and never by another project', async () => {
    const { id } = await create();
    const before = await listed();
    const path = `/campaigns/${id}/subject-test`;
    expect((await other.post(path, { subject: 'Two', percent: 10 })).status).toBe(404);
    expect(await listed()).toEqual(before);
    const answers = await Promise.all(Array.from({ length: 50 }, () => split(id)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const { status } of answers) expect([201, 400, 429]).toContain(status);
    expect(await listed()).toHaveLength(before.length + 2);
  });
});
