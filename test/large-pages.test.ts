import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSegment, planIs } from './setup/segments.ts';
import { createTestSender, useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createWaitingWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useOneSender(stack);

const many = 50_200;

interface Page {
  data: { id: string }[];
  total: number;
  totalAccuracy: string;
  page: number;
  totalPages: number;
  cursor: string | null;
}

async function read(path: string, query: string): Promise<Page> {
  const { status, body } = await sender.get(`${path}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/** From any page on, cursors must lead to the same rows as page numbers. */
async function expectSamePages(path: string): Promise<Page> {
  const [first, second, third] = [
    await read(path, 'pageSize=7'),
    await read(path, 'pageSize=7&page=2'),
    await read(path, 'pageSize=7&page=3'),
  ];
  const behindFirst = await read(path, `pageSize=7&cursor=${first.cursor}`);
  expect([idsOf(behindFirst), behindFirst.page]).toEqual([idsOf(second), 2]);
  const behindSecond = await read(path, `pageSize=7&cursor=${second.cursor}`);
  expect([idsOf(behindSecond), behindSecond.page]).toEqual([idsOf(third), 3]);
  expect(new Set([first, second, third].flatMap(idsOf)).size).toBe(21);
  return first;
}

/** The same far into the list. */
async function expectSameDeepPages(path: string): Promise<void> {
  const [reached, next] = [
    await read(path, 'pageSize=100&page=401'),
    await read(path, 'pageSize=100&page=402'),
  ];
  expect(reached.data).toHaveLength(100);
  const behind = await read(path, `pageSize=100&cursor=${reached.cursor}`);
  expect([idsOf(behind), behind.page]).toEqual([idsOf(next), 402]);
}

async function expectNoOtherCursor(path: string, other: string): Promise<void> {
  for (const cursor of [other, 'x', '']) {
    const { status, body } = await sender.get(`${path}?cursor=${cursor}`);
    expect([cursor, status, body.error?.code]).toEqual([cursor, 400, 'BAD_REQUEST']);
  }
}

async function addExecutions(workflowId: string, count: number): Promise<void> {
  // Twenty start at the same time, so that page boundaries fall among equal times.
  await stack.sql(
    `insert into workflow_executions (id, project_id, workflow_id, version, status, only_once, started_at, completed_at)
     select uuidv7(), $1, $2, 2, case when n % 10 = 0 then 'FAILED' else 'COMPLETED' end, false,
       now() - n / 20 * interval '1 second', now()
     from generate_series(1, $3::int) n`,
    [sender.projectId, workflowId, count],
  );
}

async function addContacts(count: number): Promise<void> {
  await stack.sql(
    `insert into contacts (id, project_id, email, data, created_at)
     select uuidv7(- (n / 20) * interval '1 second'), $1, 'reader-' || n || '@example.com',
       jsonb_build_object('plan', case when n > 30 then 'pro' else 'free' end), now() - n / 20 * interval '1 second'
     from generate_series(1, $2::int) n`,
    [sender.projectId, count],
  );
}

describe('a large list of executions', () => {
  it('has estimated totals, and the same rows by page number and by cursor at any depth', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const path = `/workflows/${id}/executions`;
    await addExecutions(id, 120);
    expect(await read(path, 'page=6')).toMatchObject({ total: 120, totalAccuracy: 'exact', cursor: null });
    expect(await read(path, 'page=999')).toMatchObject({ data: [], total: 120, cursor: null });

    await addExecutions(id, many - 120);
    await stack.sql('analyze workflow_executions');
    const first = await expectSamePages(path);
    expect(first).toMatchObject({ totalAccuracy: 'estimate', totalPages: Math.ceil(first.total / 7) });
    expect(Math.abs(first.total - many) / many).toBeLessThan(0.1);
    await expectSameDeepPages(path);
    // Below the counting limit, a status has an exact total.
    const failed = await read(path, 'status=FAILED');
    expect(failed).toMatchObject({ total: many / 10, totalAccuracy: 'exact' });
    const { executions, totalAccuracy } = (await sender.get(`/workflows/${id}/statistics`)).body;
    expect(executions).toMatchObject({ FAILED: many / 10, COMPLETED: many - many / 10, total: many });
    expect(totalAccuracy).toBe('exact');
    const [counts] = (await sender.get(`/workflows/executions?ids=${id}`)).body.data;
    expect(counts).toMatchObject({ workflowId: id, active: 0, totalAccuracy: 'estimate' });
    expect(Math.abs(counts.total - many) / many).toBeLessThan(0.1);
  });

  it('reads each execution once along the cursors, and ends', async () => {
    const { id } = await createWaitingWorkflow(sender);
    await addExecutions(id, 950);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await read(
        `/workflows/${id}/executions`,
        cursor === '' ? 'pageSize=100' : `pageSize=100&cursor=${cursor}`,
      );
      seen.push(...idsOf(page));
      expect(page.total).toBe(950);
      cursor = page.cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([950, 950]);
    const other = await createTestSender(stack.url);
    const foreign = await createWaitingWorkflow(other);
    const { data } = (await sender.get(`/workflows/executions?ids=${id}&ids=${foreign.id}`)).body;
    expect(data).toEqual([{ workflowId: id, active: 0, failed: 95, total: 950, totalAccuracy: 'exact' }]);
  });
});

describe('a large list of members', () => {
  it('has estimated totals, and the same rows by page number and by cursor at any depth', async () => {
    await addContacts(many);
    await stack.sql('analyze contacts');
    const dynamic = await createSegment(sender, { condition: planIs('pro') });
    const path = `/segments/${dynamic.id}/contacts`;
    const first = await expectSamePages(path);
    expect(first).toMatchObject({ total: many - 30, totalAccuracy: 'estimate' });
    await expectSameDeepPages(path);

    const rare = await createSegment(sender, { condition: planIs('free') });
    await stack.sql('update segments set member_count = 500 where id = $1', [rare.id]);
    const whole = await read(`/segments/${rare.id}/contacts`, 'pageSize=100');
    expect(whole).toMatchObject({ total: 30, totalAccuracy: 'exact', cursor: null });
    await read(`/segments/${rare.id}/contacts`, 'pageSize=100&page=2');

    const fixed = await createSegment(sender, { type: 'STATIC' });
    const addMembers = (limit: number) =>
      stack.sql(
        `insert into segment_members (segment_id, contact_id)
         select $1, id from contacts where project_id = $2 order by created_at desc limit $3 on conflict do nothing`,
        [fixed.id, sender.projectId, limit],
      );
    await addMembers(300);
    const fixedPath = `/segments/${fixed.id}/contacts`;
    expect(await read(fixedPath, '')).toMatchObject({ total: 300, totalAccuracy: 'exact' });
    expect(await read(fixedPath, 'page=999')).toMatchObject({ data: [], total: 300 });
    await addMembers(many);
    await stack.sql('update segments set member_count = $2 where id = $1', [fixed.id, many]);
    const firstFixed = await expectSamePages(fixedPath);
    expect(firstFixed).toMatchObject({ total: many, totalAccuracy: 'estimate' });
    await expectSameDeepPages(fixedPath);

    const { id } = await createWaitingWorkflow(sender);
    await expectNoOtherCursor(`/workflows/${id}/executions`, first.cursor ?? '');
    await expectNoOtherCursor(
      path,
      Buffer.from(JSON.stringify([1, 'members', randomUUID()])).toString('base64url'),
    );
  });
});

describe('a large list of suppressions', () => {
  it('has an estimated total on its first page', async () => {
    const other = await createTestSender(stack.url);
    await stack.sql(
      `insert into contacts (id, project_id, email, subscribed, suppression_reason, suppressed_at)
       select uuidv7(), $1, 'gone-' || n || '@example.com', false, 'bounce', now() from generate_series(1, $2) n`,
      [other.projectId, many],
    );
    await stack.sql('analyze contacts');
    const { body: first } = await other.get('/suppressions?limit=2');
    expect(first).toMatchObject({ totalAccuracy: 'estimate', hasMore: true });
    expect(first.total).toBeGreaterThan(50_000);
    const { body: second } = await other.get(`/suppressions?limit=2&cursor=${first.cursor}`);
    expect(second).toMatchObject({ total: 0, totalAccuracy: 'minimum' });
    const { body: part } = await other.get('/suppressions?search=gone-77');
    expect(part).toMatchObject({ total: 111, totalAccuracy: 'exact' });
  });
});
