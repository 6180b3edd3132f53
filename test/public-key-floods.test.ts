import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { startAnotherApi } from './setup/processes.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { upload } from './setup/upload.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const second = fileFixture(
  () => startAnotherApi(stack),
  ({ kill }) => kill(),
);

const ada = 'ada@example.com';
const run = (text: string, parameters: unknown[]) => stack.sql<{ n: number }>(text, parameters);
const addNames = (count: number) =>
  run(
    `insert into event_names (project_id, name) select $1, 'name ' || n from generate_series(1, $2::int) n`,
    [sender.projectId, count],
  );
const addKeys = (count: number) =>
  run(
    `insert into contact_fields (project_id, key, type) select $1, 'key' || n, 'string' from generate_series(1, $2::int) n`,
    [sender.projectId, count],
  );
const countOf = async (table: string) =>
  (await run(`select count(*)::int as n from ${table} where project_id = $1`, [sender.projectId]))[0]?.n;

/** Tracks with the public key, at either process. */
async function track(event: string, data: object = {}, url = stack.url) {
  const answer = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sender.publicKey}` },
    body: JSON.stringify({ email: ada, event, data }),
  });
  // as: other tests check the answers.
  return { status: answer.status, body: (await answer.json()) as { error?: { errors?: object[] } } };
}

it('new event names are refused beyond 10,000, in every process, and deleting one frees a place', async () => {
  await addNames(9_997);
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => track(`new ${n}`, {}, n % 2 === 0 ? stack.url : second.url)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status, body } of refused) {
    expect(status).toBe(422);
    expect(body.error?.errors).toEqual([
      expect.objectContaining({
        field: 'event',
        code: 'limit_reached',
        message: expect.stringContaining('10,000'),
      }),
    ]);
  }
  expect(await countOf('event_names')).toBe(10_000);
  expect((await track('name 1')).status).toBe(200);
  expect((await track('name 2', {}, second.url)).status).toBe(200);
  expect((await sender.delete('/events/name%201')).status).toBe(200);
  await eventually(
    () => track('after'),
    ({ status }) => status === 200,
  );
  expect((await track('one more')).status).toBe(422);
});

it('new keys of data end at 10,000, in events, emails and contacts', async () => {
  await addKeys(9_999);
  expect((await track('signed_up', { a: 1, b: 2 })).status).toBe(422);
  expect((await sender.get('/contacts')).body.data).toEqual([]);
  expect((await track('signed_up', { a: 1, key1: 'x' })).status).toBe(200);
  const issue = expect.objectContaining({ field: 'data', code: 'limit_reached' });
  const from = `hello@${sender.domain}`;
  const send = (data: object) => sender.post('/v1/send', { to: ada, from, subject: 'Hi', body: 'Hi', data });
  for (const refused of [
    await track('signed_up', { b: 2 }),
    await send({ b: 2 }),
    await sender.post('/contacts', { email: ada, data: { b: 2 } }),
  ]) {
    expect(refused.status, JSON.stringify(refused.body)).toBe(422);
    expect(refused.body.error.errors).toEqual([issue]);
  }
  expect((await send({ a: 2, key2: 'x' })).status).toBe(200);
  // Values that are not stored do not count.
  expect((await send({ code: { value: '481516', persistent: false } })).status).toBe(200);
  expect((await sender.delete('/contacts/fields/data.key2')).status).toBe(200);
  await eventually(
    () => track('signed_up', { b: 2 }),
    ({ status }) => status === 200,
  );
  expect(await countOf('contact_fields')).toBe(10_000);
});

it('a file of new keys ends its import with a reason', async () => {
  await addKeys(9_999);
  const { body } = await upload(
    `${stack.url}/contacts/import`,
    sender.secretKey,
    'email,one,two\na@example.com,1,2\n',
  );
  const job = await eventually(
    () => sender.get(`/contacts/import/${body.jobId}`),
    (found) => found.body.finishedAt !== null,
  );
  expect(job.body).toMatchObject({
    state: 'failed',
    failedReason: 'The project would have more than 10,000 keys of data',
  });
  expect((await sender.get('/contacts')).body.data).toEqual([]);
});
