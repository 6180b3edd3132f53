import { expect, it } from 'vitest';
import { createSegment, memberOf, planIs, putContact, where } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const preview = (condition: unknown) => sender.post('/segments/preview', { condition });

it('counts the contacts that meet the condition, and shows the newest ten', async () => {
  for (let index = 1; index <= 12; index += 1) await putContact(sender, index, 'pro');
  const free = await putContact(sender, 13, 'free');
  const { status, body } = await preview(planIs('pro'));
  expect([status, body.count, body.sample.length]).toEqual([200, 12, 10]);
  expect(body.sample[0]).toEqual(
    (await sender.get('/contacts?sort=createdAt&filter[data.plan]=pro')).body.data[0],
  );
  expect((await preview(planIs('none'))).body).toEqual({ count: 0, sample: [] });
  const { id } = await createSegment(sender, { condition: planIs('free') });
  expect((await preview(memberOf(id))).body).toMatchObject({ count: 1, sample: [{ id: free }] });
  expect((await sender.get('/segments')).body.data).toHaveLength(1);
});

it('finds a few matches among many contacts', async () => {
  await stack.sql(
    `insert into contacts (id, project_id, email, data)
     select uuidv7(), $1, 'many-' || n || '@example.com', jsonb_build_object('n', n) from generate_series(1, 3000) n`,
    [sender.projectId],
  );
  await putContact(sender, 1, 'pro');
  expect((await preview(planIs('pro'))).body).toMatchObject({
    count: 1,
    sample: [{ data: { plan: 'pro' } }],
  });
});

it('reports the path of an error as a new segment does, also for segments of other projects', async () => {
  const other = await createTestSender(stack.url);
  const theirs = await createSegment(other, { condition: planIs('pro') });
  const faulty = [where({ field: 'data.plan', operator: 'resembles', value: 'pro' }), memberOf(theirs.id)];
  for (const condition of faulty) {
    const { status, body } = await preview(condition);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error.errors[0].field).toMatch(/^condition\.groups\.0\.filters\.0\./);
    expect((await sender.post('/segments', { name: 'A', condition })).body.error).toBe(body.error.message);
  }
});
