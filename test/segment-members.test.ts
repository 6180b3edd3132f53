import { describe, expect, it } from 'vitest';
import { findWrongCounts, readSegmentEvents } from './setup/read-database.ts';
import { address, createSegment, planIs, putContact } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

describe('GET /segments/:id/contacts', () => {
  it('pages through the members, newest first, each once, with the total on every page', async () => {
    for (let index = 0; index < 25; index += 1)
      await putContact(sender, index, index % 5 === 0 ? 'free' : 'pro');
    const { id } = await createSegment(sender, { condition: planIs('pro') });
    const seen: string[] = [];
    for (let page = 1; page <= 4; page += 1) {
      const { status, body } = await sender.get(`/segments/${id}/contacts?page=${page}&pageSize=6`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ total: 20, page, pageSize: 6, totalPages: 4 });
      seen.push(...body.data.map((one: { email: string }) => one.email));
    }
    const expected = Array.from({ length: 25 }, (_, index) => index).filter((index) => index % 5 > 0);
    expect(seen).toEqual(expected.reverse().map(address));
    const beyond = await sender.get(`/segments/${id}/contacts?page=9`);
    expect(beyond.body).toEqual({
      data: [],
      total: 20,
      totalAccuracy: 'exact',
      page: 9,
      pageSize: 20,
      totalPages: 1,
      cursor: null,
    });
    expect((await sender.get(`/segments/${id}/contacts?pageSize=500`)).body.pageSize).toBe(100);
    for (const query of ['page=0', 'page=x', 'pageSize=0', 'page=1e300']) {
      expect((await sender.get(`/segments/${id}/contacts?${query}`)).status).toBe(422);
    }
  });

  it('is live: it shows current members immediately, while the count waits for a refresh', async () => {
    const { id } = await createSegment(sender, { condition: planIs('pro') });
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'pro');
    expect((await sender.get(`/segments/${id}/contacts`)).body.total).toBe(2);
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(0);
    const refreshed = await sender.post(`/segments/${id}/refresh`, undefined);
    expect(refreshed).toMatchObject({ status: 200, body: { memberCount: 2 } });
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(2);
    expect(await readSegmentEvents(stack.em(), sender.projectId)).toEqual([]);
  });
});

describe('GET /contacts/:id/segments', () => {
  it('lists the segments that a contact is in right now, newest first, of every kind', async () => {
    const { id } = (await sender.post('/contacts', { email: address(1), data: { plan: 'free' } })).body;
    await createSegment(sender, { name: 'Other list', type: 'STATIC' });
    const list = await createSegment(sender, { name: 'List', type: 'STATIC' });
    await sender.post(`/segments/${list.id}/members`, { emails: [address(1)] });
    const pro = await createSegment(sender, { name: 'Pro', condition: planIs('pro') });
    const filters = [{ field: `segment.${pro.id}`, operator: 'notMemberOfSegment' }];
    await createSegment(sender, { name: 'Not pro', condition: { logic: 'AND', groups: [{ filters }] } });
    for (let index = 0; index < 60; index += 1) {
      await createSegment(sender, { name: `Free ${index}`, condition: planIs('free') });
    }
    const namesOf = async () => {
      const { body } = await sender.get(`/contacts/${id}/segments`);
      return body.data.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`);
    };
    const free = Array.from({ length: 60 }, (_, index) => `Free ${59 - index} DYNAMIC`);
    expect(await namesOf()).toEqual([...free, 'Not pro DYNAMIC', 'List STATIC']);
    await sender.patch(`/contacts/${id}`, { data: { plan: 'pro' } });
    expect(await namesOf()).toEqual(['Pro DYNAMIC', 'List STATIC']);
    const other = await createTestSender(stack.url);
    expect((await other.get(`/contacts/${id}/segments`)).status).toBe(404);
  });
});

describe('static members', () => {
  it('are added once, created on request, and counted', async () => {
    await putContact(sender, 1, 'pro');
    await sender.post('/contacts', { email: address(2), subscribed: false });
    const { id } = await createSegment(sender, { type: 'STATIC' });
    const emails = [address(1), ` ${address(2).toUpperCase()} `, address(3), address(1)];
    const first = await sender.post(`/segments/${id}/members`, { emails });
    expect(first).toMatchObject({ status: 200, body: { added: 2, created: 0, notFound: [address(3)] } });
    const second = await sender.post(`/segments/${id}/members`, {
      emails: [...emails, address(4)],
      createMissing: true,
      subscribed: false,
    });
    expect(second.body).toEqual({ added: 2, created: 2, notFound: [] });
    const { body } = await sender.get(`/segments/${id}/contacts`);
    expect(
      body.data.map((one: { email: string; subscribed: boolean }) => [one.email, one.subscribed]),
    ).toEqual(
      expect.arrayContaining([
        [address(4), false],
        [address(3), false],
        [address(2), false],
        [address(1), true],
      ]),
    );
    expect(body.total).toBe(4);
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(4);

    const removed = await sender.delete(`/segments/${id}/members`, { emails: [address(1), address(9)] });
    expect(removed).toMatchObject({ status: 200, body: { removed: 1, notFound: [address(9)] } });
    expect((await sender.delete(`/segments/${id}/members`, { emails: [address(1)] })).body).toEqual({
      removed: 0,
      notFound: [],
    });
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(3);
    const { body: unsubscribed } = await sender.post(`/segments/${id}/members`, {
      emails: ['new@example.com'],
      createMissing: true,
    });
    expect(unsubscribed).toEqual({ added: 1, created: 1, notFound: [] });
    expect((await sender.get('/contacts?search=new@')).body.data[0].subscribed).toBe(true);
    expect(await readSegmentEvents(stack.em(), sender.projectId)).toEqual([]);
  });

  it('refuse malformed addresses and more than 500 with 422, and dynamic segments with 400', async () => {
    const { id } = await createSegment(sender, { type: 'STATIC' });
    for (const [body, field] of [
      [{}, 'emails'],
      [{ emails: [] }, 'emails'],
      [{ emails: Array.from({ length: 501 }, (_, index) => `a${index}@example.com`) }, 'emails'],
      [{ emails: [address(1), 'nobody'] }, 'emails.1'],
    ] as const) {
      for (const answer of [
        await sender.post(`/segments/${id}/members`, body),
        await sender.delete(`/segments/${id}/members`, body),
      ]) {
        expect(answer.status).toBe(422);
        expect(answer.body.error.errors).toMatchObject([{ field }]);
      }
    }
    const dynamic = await createSegment(sender, { condition: planIs('pro') });
    for (const answer of [
      await sender.post(`/segments/${dynamic.id}/members`, { emails: [address(1)], createMissing: true }),
      await sender.delete(`/segments/${dynamic.id}/members`, { emails: [address(1)] }),
    ]) {
      expect(answer.status).toBe(400);
    }
    expect((await sender.get('/contacts')).body.total).toBe(0);
  });

  it('of other projects are inaccessible, and so are their contacts', async () => {
    const other = await createTestSender(stack.url);
    await other.post('/contacts', { email: address(1) });
    const { id } = await createSegment(sender, { type: 'STATIC' });
    expect((await sender.post(`/segments/${id}/members`, { emails: [address(1)] })).body).toEqual({
      added: 0,
      created: 0,
      notFound: [address(1)],
    });
    for (const answer of [
      await other.get(`/segments/${id}`),
      await other.patch(`/segments/${id}`, { name: 'Mine' }),
      await other.delete(`/segments/${id}`),
      await other.get(`/segments/${id}/contacts`),
      await other.post(`/segments/${id}/members`, { emails: [address(1)], createMissing: true }),
      await other.delete(`/segments/${id}/members`, { emails: [address(1)] }),
      await other.post(`/segments/${id}/compute`, undefined),
      await other.post(`/segments/${id}/refresh`, undefined),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await other.get('/segments')).body).toEqual({ data: [] });
    expect((await sender.get('/segments/nonsense')).status).toBe(422);
  });

  it('enter and exit with one event for each change while the segment is tracked', async () => {
    const ids = await Promise.all([putContact(sender, 1, 'pro'), putContact(sender, 2, 'pro')]);
    const { id } = await createSegment(sender, { name: 'VIP', type: 'STATIC', trackMembership: true });
    const members = `/segments/${id}/members`;
    await sender.post(members, { emails: [address(1), address(2)] });
    await sender.post(members, { emails: [address(1), address(2), address(3)] });
    await sender.delete(members, { emails: [address(1), address(1)] });
    await sender.delete(members, { emails: [address(1)] });
    await sender.patch(`/segments/${id}`, { trackMembership: false });
    await sender.post(members, { emails: [address(1)] });
    await sender.patch(`/segments/${id}`, { trackMembership: true, name: 'Renamed' });
    await sender.post(members, { emails: [address(4)], createMissing: true });
    expect((await readSegmentEvents(stack.em(), sender.projectId)).toSorted()).toEqual([
      `segment.vip.entry ${address(1)}`,
      `segment.vip.entry ${address(2)}`,
      `segment.vip.entry ${address(4)}`,
      `segment.vip.exit ${address(1)}`,
    ]);
    const [event] = await stack.sql(
      `select kind, data from events where project_id = $1 and contact_id = $2 and name = 'segment.vip.exit'`,
      [sender.projectId, ids[0]],
    );
    expect(event).toEqual({ kind: 'emitted', data: { segmentId: id, segmentName: 'VIP' } });
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });

  it('that are added and removed by many concurrent calls cause one event per change', async () => {
    const emails = Array.from({ length: 20 }, (_, index) => address(index));
    const { id } = await createSegment(sender, { name: 'Busy', type: 'STATIC', trackMembership: true });
    const members = `/segments/${id}/members`;
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        index % 4 === 3
          ? sender.delete(members, { emails: index % 8 === 3 ? emails : emails.toReversed() })
          : sender.post(members, { emails: index % 2 ? emails : emails.toReversed(), createMissing: true }),
      ),
    );
    const sum = (key: string) => answers.reduce((total, { body }) => total + (body[key] ?? 0), 0);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(sum('created')).toBe(20);
    const events = await readSegmentEvents(stack.em(), sender.projectId);
    expect(events.filter((event) => event.includes('.entry'))).toHaveLength(sum('added'));
    expect(events.filter((event) => event.includes('.exit'))).toHaveLength(sum('removed'));
    const { memberCount } = (await sender.get(`/segments/${id}`)).body;
    expect(memberCount).toBe(sum('added') - sum('removed'));
    expect((await sender.get(`/segments/${id}/contacts`)).body.total).toBe(memberCount);
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });
});
