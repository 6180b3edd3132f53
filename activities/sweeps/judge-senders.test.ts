import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { judgeSenders } from './judge-senders.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const run = <Row>(text: string, parameters: unknown[]) => sql<Row>(database.orm.em.fork(), text, parameters);

async function projectWith(figures: { sent: number; bounced: number; complained: number }): Promise<string> {
  const { id } = await createTestProject(database);
  // In pieces, as they come in.
  const half = (count: number) => Math.floor(count / 2);
  for (const part of [half, (count: number) => count - half(count)]) {
    await run(
      `insert into project_email_changes (project_id, day, sent, bounced, complained)
       values ($1, (now() at time zone 'UTC')::date, $2, $3, $4)`,
      [id, part(figures.sent), part(figures.bounced), part(figures.complained)],
    );
  }
  return id;
}

const stateOf = async (id: string) => {
  const [row] = await run<{
    disabled: boolean;
    reason: string | null;
    suspensions: number;
    unfolded: number;
  }>(
    `select disabled, disabled_reason as reason,
       (select count(*)::int from project_suspensions where project_id = $1) as suspensions,
       (select count(*)::int from project_email_changes where project_id = $1) as unfolded
     from projects where id = $1`,
    [id],
  );
  return row;
};

it('disables whose bounces or complaints are critical, once, and nobody else', async () => {
  const bouncing = await projectWith({ sent: 1_000, bounced: 100, complained: 0 });
  const annoying = await projectWith({ sent: 10_000, bounced: 0, complained: 15 });
  const warned = await projectWith({ sent: 1_000, bounced: 99, complained: 1 });
  const young = await projectWith({ sent: 99, bounced: 99, complained: 99 });
  expect(await judgeSenders(database.orm.em.fork(), true)).toEqual({ folded: 8, disabled: 2 });
  expect(await judgeSenders(database.orm.em.fork(), true)).toEqual({ folded: 0, disabled: 0 });
  const disabled = { disabled: true, suspensions: 1, unfolded: 0 };
  const fine = { disabled: false, reason: null, suspensions: 0, unfolded: 0 };
  expect(await stateOf(bouncing)).toEqual({
    ...disabled,
    reason: '10 % of the emails of the last seven days bounced',
  });
  expect(await stateOf(annoying)).toEqual({
    ...disabled,
    reason: '0.15 % of the emails of the last seven days were complained about',
  });
  expect([await stateOf(warned), await stateOf(young)]).toEqual([fine, fine]);
});

it('only counts where the operator has switched that off', async () => {
  const id = await projectWith({ sent: 1_000, bounced: 1_000, complained: 0 });
  expect(await judgeSenders(database.orm.em.fork(), false)).toEqual({ folded: 2, disabled: 0 });
  expect(await stateOf(id)).toMatchObject({ disabled: false, unfolded: 0 });
});

it('counts each change once when several run at a time', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => projectWith({ sent: 50, bounced: 7, complained: 0 })),
  );
  await Promise.all(Array.from({ length: 4 }, () => judgeSenders(database.orm.em.fork(), true)));
  const rows = await run<{ sent: number; bounced: number }>(
    'select sent, bounced from project_email_days where project_id = any($1::uuid[])',
    [ids],
  );
  expect(rows).toEqual(ids.map(() => ({ sent: 50, bounced: 7 })));
});
