import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createOrm, type Orm } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { fileFixture } from '../../test/setup/fixtures.ts';
import { createTestProject, startTestApi } from '../../test/setup/start-test-api.ts';
import { defineRoute } from './define-route.ts';

const database = useTestDatabase();
const { em } = database;
let orm: Orm;

const routes = [
  defineRoute('POST /rename/:id', {
    auth: 'none',
    tags: ['Test'],
    summary: 'Renames a project, slowly',
    params: z.object({ id: z.uuid() }),
    body: z.object({ seconds: z.number() }),
    responses: { 200: { description: 'Done', schema: z.object({}) } },
    async handler(ctx) {
      const { params, body } = ctx.state;
      await orm.em.fork().transactional(async (em) => {
        await sql(em, 'update projects set name = $2 where id = $1', [params.id, 'renamed']);
        await sql(em, 'select pg_sleep($1)', [body.seconds]);
      });
      ctx.body = {};
    },
  }),
  defineRoute('POST /deadlock', {
    auth: 'none',
    tags: ['Test'],
    summary: 'The victim of a deadlock',
    responses: { 200: { description: 'Done', schema: z.object({}) } },
    async handler() {
      await sql(orm.em.fork(), `do $$ begin raise deadlock_detected; end $$`);
    },
  }),
];

beforeAll(() => {
  const limits = { statementMs: 2_000, lockMs: 500 };
  orm = createOrm({ url: database.url, poolSize: 4, limits, warn: () => undefined });
  return () => orm.close();
});
const api = fileFixture(
  () => startTestApi({ database, routes, services: null }),
  ({ close }) => close(),
);

const nameOf = async (id: string) => {
  const [row] = await sql<{ name: string }>(em(), 'select name from projects where id = $1', [id]);
  return row?.name;
};
const comeAgain = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '5' };
const call = async (path: string, sent: object) => {
  const { status, body, headers } = await api.request(path, { body: sent });
  return { status, code: body.error?.code, retryAfter: headers.get('Retry-After') };
};
const rename = (id: string, seconds: number) => call(`/rename/${id}`, { seconds });

/** A busy machine may exceed the short limits on its own. */
const untilRenamed = (id: string) =>
  expect.poll(async () => (await rename(id, 0)).status, { timeout: 90_000 }).toBe(200);

it('answers 503 with Retry-After when a statement takes too long, and leaves nothing behind', async () => {
  const { id } = await createTestProject(database);
  expect(await rename(id, 60)).toEqual(comeAgain);
  expect(await nameOf(id)).toBe('Test');
  await untilRenamed(id);
  expect(await nameOf(id)).toBe('renamed');
});

it('answers 503 with Retry-After when a row is held for too long', async () => {
  const { id } = await createTestProject(database);
  await em().transactional(async (em) => {
    await sql(em, 'select from projects where id = $1 for update', [id]);
    expect(await rename(id, 0)).toEqual(comeAgain);
  });
  await untilRenamed(id);
});

it('answers 503 with Retry-After when Postgres aborts it to end a deadlock', async () => {
  expect(await call('/deadlock', {})).toEqual(comeAgain);
});
