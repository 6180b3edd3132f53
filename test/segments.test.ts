import { describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import {
  address,
  createSegment,
  memberOf,
  notMemberOf,
  planIs,
  putContact,
  where,
} from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';
import { untilBlocking } from './setup/until-blocking.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

async function emailsOf(id: string): Promise<string[]> {
  const { body } = await sender.get(`/segments/${id}/contacts`);
  return body.data.map((one: { email: string }) => one.email);
}

describe('POST /segments', () => {
  it('refuses more than the list of all segments can hold', async () => {
    const limited = await createTestSender(stack.url);
    const { body: segment } = await limited.post('/segments', { name: 'Pro', condition: planIs('pro') });
    const fill = (count: number, condition: string) =>
      stack.sql(
        `insert into segments (id, project_id, name, slug, type, condition)
         select uuidv7(), $1, 'Segment', 'filled-' || n, 'DYNAMIC', $2::jsonb from generate_series(1, $3) n`,
        [limited.projectId, condition, count],
      );
    const clear = () =>
      stack.sql(`delete from segments where project_id = $1 and slug like 'filled-%'`, [limited.projectId]);

    await fill(1_999, JSON.stringify(planIs('pro')));
    const another = await limited.post('/segments', { name: 'One more', type: 'STATIC' });
    expect([another.status, another.body.error.message]).toEqual([
      409,
      expect.stringContaining('2000 segments'),
    ]);
    expect((await limited.patch(`/segments/${segment.id}`, { condition: planIs('free') })).status).toBe(200);

    await clear();
    await fill(41, JSON.stringify(planIs('x'.repeat(102_000))));
    const large = { condition: planIs('y'.repeat(12_000)) };
    expect((await limited.post('/segments', { name: 'Large', ...large })).status).toBe(409);
    const changed = await limited.patch(`/segments/${segment.id}`, large);
    expect([changed.status, changed.body.error.code]).toEqual([409, 'CONFLICT']);
    await clear();
    expect((await limited.patch(`/segments/${segment.id}`, large)).status).toBe(200);
  });

  it('creates a dynamic segment, counts it, and returns the condition as it was sent', async () => {
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    const condition = { ...planIs('pro'), note: { kept: [1, null, 'x'] } };
    const created = await sender.post('/segments', { name: ' Pro plan ', description: 'Paying', condition });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: 'Pro plan',
      slug: 'pro-plan',
      description: 'Paying',
      type: 'DYNAMIC',
      condition,
      trackMembership: false,
      memberCount: 1,
      projectId: sender.projectId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await sender.get(`/segments/${created.body.id}`)).body).toEqual(created.body);
    expect((await sender.get('/segments')).body).toEqual({ data: [created.body] });
  });

  it('ignores the condition of a static one', async () => {
    for (const condition of [planIs('pro'), 'nonsense', undefined]) {
      const created = await sender.post('/segments', { name: 'List', type: 'STATIC', condition });
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({
        type: 'STATIC',
        condition: null,
        memberCount: 0,
        description: null,
      });
    }
  });

  it('answers 400 { error } for a missing name or condition, naming the path of every error', async () => {
    for (const [body, ...named] of [
      [{ condition: planIs('pro') }, 'name'],
      [{ name: '', condition: planIs('pro') }, 'name'],
      [{ name: 'A' }, 'condition is required'],
      [{ name: 'A', condition: null }, 'condition is required'],
      [{ name: 'A', condition: [] }, 'condition: Expected an object'],
      [{ name: 'A', condition: 'all' }, 'condition: Expected an object'],
      [
        {
          name: 'A',
          condition: where(
            { field: 'data.a', operator: 'equals', value: 1 },
            { field: 'data.b', operator: 'is', value: 1 },
            { field: `segment.${unknownId}`, operator: 'memberOfSegment', value: {} },
            { field: 'nope', operator: 'equals', value: 1 },
          ),
        },
        'condition.groups.0.filters.1.operator',
        'condition.groups.0.filters.3.field',
      ],
    ] as [object, ...string[]][]) {
      const answer = await sender.post('/segments', body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: expect.any(String) });
      for (const name of named) expect(answer.body.error).toContain(name);
    }
    const huge = { ...planIs('pro'), padding: 'x'.repeat(140_000) };
    expect((await sender.post('/segments', { name: 'A', condition: huge })).status).toBe(400);
  });

  it('answers 422 beyond the length limits', async () => {
    for (const [body, field] of [
      [{ name: 'x'.repeat(101), condition: planIs('pro') }, 'name'],
      [{ name: 'A', description: 'x'.repeat(501), condition: planIs('pro') }, 'description'],
      [{ name: 'A', type: 'LIVE', condition: planIs('pro') }, 'type'],
    ] as const) {
      const answer = await sender.post('/segments', body);
      expect(answer.status).toBe(422);
      expect(answer.body.error.errors).toMatchObject([{ field }]);
    }
    expect(await createSegment(sender, { name: 'x'.repeat(100), condition: planIs('a') })).toMatchObject({
      memberCount: 0,
    });
  });

  it('gives each segment a unique slug, which stays when it is renamed', async () => {
    const first = await createSegment(sender, { name: 'Café & Friends', condition: planIs('pro') });
    const second = await createSegment(sender, { name: 'CAFE friends', type: 'STATIC' });
    const third = await createSegment(sender, { name: '🙂', type: 'STATIC' });
    expect(first.slug).toBe('cafe-friends');
    expect(second.slug).toBe(`cafe-friends-${second.id.slice(-8)}`);
    expect(third.slug).toBe(`segment-${third.id.slice(-8)}`);
    const renamed = await sender.patch(`/segments/${first.id}`, { name: 'Others' });
    expect(renamed.body).toMatchObject({ name: 'Others', slug: 'cafe-friends' });
    const other = await createTestSender(stack.url);
    expect((await other.post('/segments', { name: 'Cafe friends', type: 'STATIC' })).body.slug).toBe(
      'cafe-friends',
    );
  });

  it('gives segments that are created concurrently a slug each', async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, () => createSegment(sender, { name: 'VIP', type: 'STATIC' })),
    );
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(12);
    expect(made.filter(({ slug }) => slug === 'vip')).toHaveLength(1);
    for (const { id, slug } of made) expect(['vip', `vip-${id.slice(-8)}`]).toContain(slug);
  });
});

describe('PATCH /segments/:id', () => {
  it('changes the given fields and counts a new condition', async () => {
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    await putContact(sender, 3, 'free');
    const { id } = await createSegment(sender, { description: 'Text', condition: planIs('pro') });
    const renamed = await sender.patch(`/segments/${id}`, { name: 'New', type: 'DYNAMIC' });
    expect(renamed.body).toMatchObject({ name: 'New', description: 'Text', memberCount: 1 });
    const changed = await sender.patch(`/segments/${id}`, { description: null, condition: planIs('free') });
    expect(changed.body).toMatchObject({
      name: 'New',
      description: null,
      condition: planIs('free'),
      memberCount: 2,
    });
    expect((await sender.get(`/segments/${id}`)).body).toEqual(changed.body);
  });

  it('refuses another type, an invalid condition, and a condition on a static segment', async () => {
    const dynamic = await createSegment(sender, { condition: planIs('pro') });
    const fixed = await createSegment(sender, { type: 'STATIC' });
    for (const [id, body, field] of [
      [dynamic.id, { type: 'STATIC' }],
      [dynamic.id, { condition: null }, 'condition'],
      [
        dynamic.id,
        { condition: where({ field: 'email', operator: 'equals' }) },
        'condition.groups.0.filters.0.value',
      ],
      [fixed.id, { condition: planIs('pro') }],
    ] as [string, object, string?][]) {
      const answer = await sender.patch(`/segments/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('BAD_REQUEST');
      if (field !== undefined) expect(answer.body.error.errors[0].field).toBe(field);
    }
    expect((await sender.patch(`/segments/${fixed.id}`, { condition: null, name: 'List' })).status).toBe(200);
    expect((await sender.get(`/segments/${dynamic.id}`)).body.condition).toEqual(planIs('pro'));
  });
});

describe('segments that refer to segments', () => {
  it('are live through static, dynamic and negated ones', async () => {
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'pro');
    await putContact(sender, 3, 'free');
    const list = await createSegment(sender, { type: 'STATIC' });
    await sender.post(`/segments/${list.id}/members`, { emails: [address(1)] });
    const pro = await createSegment(sender, { condition: planIs('pro') });
    const proAndListed = await createSegment(sender, {
      condition: { logic: 'AND', groups: [...memberOf(pro.id).groups, ...memberOf(list.id).groups] },
    });
    const others = await createSegment(sender, { condition: notMemberOf(proAndListed.id) });
    expect(await emailsOf(proAndListed.id)).toEqual([address(1)]);
    expect(await emailsOf(others.id)).toEqual([address(3), address(2)]);
    await sender.post(`/segments/${list.id}/members`, { emails: [address(2)] });
    await sender.post('/contacts', { email: address(1), data: { plan: 'free' } });
    expect(await emailsOf(proAndListed.id)).toEqual([address(2)]);
    expect(await emailsOf(others.id)).toEqual([address(3), address(1)]);
    expect(others.memberCount).toBe(2);
  });

  it('must belong to the project: unknown and foreign ids are 400 with the path of the filter', async () => {
    const other = await createTestSender(stack.url);
    const foreign = await other.post('/segments', { name: 'Theirs', condition: planIs('pro') });
    const mine = await createSegment(sender, { condition: planIs('pro') });
    for (const id of [unknownId, foreign.body.id]) {
      const created = await sender.post('/segments', { name: 'A', condition: memberOf(id) });
      expect(created.status).toBe(400);
      expect(created.body.error).toContain('condition.groups.0.filters.0.field: Unknown segment');
      const patched = await sender.patch(`/segments/${mine.id}`, { condition: memberOf(id) });
      expect(patched.status).toBe(400);
      expect(patched.body.error.errors).toEqual([
        {
          field: 'condition.groups.0.filters.0.field',
          message: 'Unknown segment',
          code: 'invalid_value',
          received: `segment.${id}`,
        },
      ]);
    }
  });

  it('may not depend on themselves', async () => {
    const first = await createSegment(sender, { condition: planIs('pro') });
    const second = await createSegment(sender, { condition: memberOf(first.id) });
    const third = await createSegment(sender, { condition: memberOf(second.id) });
    for (const id of [first.id, second.id, third.id]) {
      const answer = await sender.patch(`/segments/${first.id}`, {
        condition: where(
          { field: 'data.a', operator: 'exists' },
          { field: `segment.${id.toUpperCase()}`, operator: 'notMemberOfSegment' },
        ),
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error.errors).toMatchObject([
        { field: 'condition.groups.0.filters.1.field', code: 'segment_cycle' },
      ]);
    }
    expect((await sender.patch(`/segments/${third.id}`, { condition: memberOf(first.id) })).status).toBe(200);
  });

  it('are the same segment by an id in upper case, and may not depend on themselves by it either', async () => {
    await putContact(sender, 1, 'pro');
    const { id } = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    const path = `/segments/${id.toUpperCase()}`;
    expect((await sender.get(path)).body.id).toBe(id);
    expect((await sender.get(`${path}/contacts`)).body.data).toMatchObject([{ email: address(1) }]);
    expect((await sender.post(`${path}/compute`, {})).status).toBe(200);
    const answer = await sender.patch(path, { condition: memberOf(id) });
    expect(answer.status).toBe(400);
    expect(answer.body.error.errors).toMatchObject([{ code: 'segment_cycle' }]);
    expect(await emailsOf(id)).toEqual([address(1)]);
  });

  it('never form a cycle, however many are changed at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, () => createSegment(sender, { condition: planIs('pro') })),
    );
    const ids = made.map(({ id }) => id);
    const ring = await Promise.all(
      ids.map((id, index) =>
        sender.patch(`/segments/${id}`, { condition: memberOf(ids[(index + 1) % ids.length] ?? '') }),
      ),
    );
    const statuses = ring.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 400]);
    for (const id of ids) expect((await sender.get(`/segments/${id}/contacts`)).status).toBe(200);
  });

  it('are bounded in depth and expanded size, whichever of them changes', async () => {
    let last = await createSegment(sender, { condition: planIs('pro') });
    const first = last;
    for (let length = 2; length <= 10; length += 1)
      last = await createSegment(sender, { condition: memberOf(last.id) });
    const answer = await sender.post('/segments', { name: 'A', condition: memberOf(last.id) });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('in a row');
    const further = await createSegment(sender, { condition: planIs('pro') });
    expect((await sender.patch(`/segments/${first.id}`, { condition: memberOf(further.id) })).status).toBe(
      400,
    );

    const wide = (id: string, times: number) =>
      where(
        ...Array.from({ length: times }, () => ({ field: `segment.${id}`, operator: 'memberOfSegment' })),
      );
    const base = await createSegment(sender, { condition: planIs('pro') });
    const doubled = await createSegment(sender, { condition: wide(base.id, 20) });
    const squared = await createSegment(sender, { condition: wide(doubled.id, 10) });
    expect((await sender.get(`/segments/${squared.id}/contacts`)).status).toBe(200);
    expect((await sender.post('/segments', { name: 'A', condition: wide(doubled.id, 13) })).status).toBe(400);
    // 20 × 10 times the current number.
    const grown = await sender.patch(`/segments/${base.id}`, { condition: wide(further.id, 2) });
    expect(grown.status).toBe(400);
    expect(grown.body.error.errors).toMatchObject([{ field: 'condition', code: 'too_big' }]);
  });

  it('can be changed during a round of segments that refer to them', async () => {
    const outer = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    const inner = await createSegment(sender, { name: 'Inner', condition: planIs('pro') });
    await sender.patch(`/segments/${outer.id}`, { condition: memberOf(inner.id) });
    let changing: ReturnType<typeof sender.patch> | undefined;
    await stack.em().transactional(async (em) => {
      // Locks segments in the order of a round: by id.
      const lock = ({ id }: { id: string }) => sql(em, 'select from segments where id = $1 for update', [id]);
      await lock(outer);
      changing = sender.patch(`/segments/${inner.id}`, { condition: planIs('free') });
      await untilBlocking(em);
      await lock(inner);
    });
    expect(await changing).toMatchObject({ status: 200, body: { condition: planIs('free') } });
  });
});

describe('DELETE /segments/:id', () => {
  it('deletes it with its members, and frees its name', async () => {
    await putContact(sender, 1, 'pro');
    const { id } = await createSegment(sender, { name: 'VIP', type: 'STATIC' });
    await sender.post(`/segments/${id}/members`, { emails: [address(1)] });
    expect((await sender.delete(`/segments/${id}`)).status).toBe(204);
    for (const answer of [
      await sender.get(`/segments/${id}`),
      await sender.get(`/segments/${id}/contacts`),
      await sender.delete(`/segments/${id}`),
      await sender.patch(`/segments/${id}`, { name: 'A' }),
      await sender.post(`/segments/${id}/members`, { emails: [address(1)] }),
      await sender.post(`/segments/${id}/refresh`, undefined),
      await sender.post(`/segments/${id}/compute`, undefined),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await stack.sql('select 1 from segment_members where segment_id = $1', [id])).toEqual([]);
    expect((await createSegment(sender, { name: 'VIP', type: 'STATIC' })).slug).toBe('vip');
  });

  it('answers 409 with what refers to it, even if that is created at the same moment', async () => {
    const base = await createSegment(sender, { condition: planIs('pro') });
    const user = await createSegment(sender, { name: 'User', condition: memberOf(base.id) });
    const refused = await sender.delete(`/segments/${base.id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error.code).toBe('CONFLICT');
    expect(refused.body.error.details).toEqual({ segments: [{ id: user.id, name: 'User' }] });
    await sender.delete(`/segments/${user.id}`);
    expect((await sender.delete(`/segments/${base.id}`)).status).toBe(204);

    for (let round = 0; round < 10; round += 1) {
      const target = await createSegment(sender, { condition: planIs('pro') });
      const [created, deleted] = await Promise.all([
        sender.post('/segments', { name: 'A', condition: memberOf(target.id) }),
        sender.delete(`/segments/${target.id}`),
      ]);
      expect([created.status, deleted.status]).toEqual(created.status === 201 ? [201, 409] : [400, 204]);
    }
  });
});
