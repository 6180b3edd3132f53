import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/setup/database.ts';
import { acceptInput, providerEvent, trackInput } from '../test/setup/inputs.ts';
import { createOrm, lookupPoolOf } from './orm.ts';
import { acceptEmails } from './repositories/emails/accept-emails.ts';
import { applyProviderEvents } from './repositories/emails/apply-provider-events.ts';
import { trackEvents } from './repositories/events/track-events.ts';
import { preparedSql, sql } from './sql.ts';

let database: TestDatabase;
beforeEach(async () => {
  // One connection for prepared statements, so that a test meets the one that prepared them.
  database = await createTestDatabase(3);
});
afterEach(() => database.close());

describe('prepared statements', () => {
  it('keep to look-ups by index with a plan that was made when the tables were empty', async () => {
    const em = database.orm.em.fork();
    const projectId = randomUUID();
    const tables = ['contacts', 'emails', 'contact_event_stats', 'provider_notifications', 'events'];
    for (const table of tables) await sql(em, `vacuum (analyze, truncate) ${table}`);
    await trackEvents(em, [trackInput(projectId, 'a@example.com')]);
    await acceptEmails(em, [acceptInput(projectId, ['a@example.com'])]);
    await applyProviderEvents(em, [providerEvent(randomUUID(), 'delivery')]);
    await sql(
      em,
      `insert into contacts (id, project_id, email)
       select uuidv7(), $1, 'user' || n || '@example.com' from generate_series(1, 5000) n`,
      [projectId],
    );

    for (const execution of [
      `track_events('[]', '[]')`,
      `accept_emails('[]', '[]', '[]', '[]')`,
      `apply_provider_events('[]')`,
    ]) {
      const { rows } = await lookupPoolOf(em).query<{ 'QUERY PLAN': string }>(`explain execute ${execution}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Scan using (contacts_project_email|emails_pkey)/);
      expect(plan).not.toMatch(/Seq Scan|Merge Join/);
    }
  });

  it('are prepared once on a connection', async () => {
    const em = database.orm.em.fork();
    for (let run = 0; run < 3; run += 1) await trackEvents(em, [trackInput(randomUUID(), 'a@example.com')]);
    const names = await preparedSql<{ name: string; calls: number }>(
      em,
      'read_prepared',
      `select name, (generic_plans + custom_plans)::int as calls from pg_prepared_statements where name <> $1`,
      ['read_prepared'],
    );
    expect(names).toEqual([{ name: 'track_events', calls: 3 }]);
  });

  it('run beside the ordinary connections, whose planner keeps its choices, and end with them', async () => {
    const em = database.orm.em.fork();
    const settings = `select current_setting('enable_seqscan') as scans, current_setting('plan_cache_mode') as plans`;
    expect(await preparedSql(em, 'read_settings', settings, [])).toEqual([
      { scans: 'off', plans: 'force_generic_plan' },
    ]);
    expect(await sql(em, settings)).toEqual([{ scans: 'on', plans: 'auto' }]);

    const other = createOrm({
      url: `${database.url}?application_name=other`,
      poolSize: 6,
      warn: () => undefined,
    });
    await preparedSql(other.em.fork(), 'read_settings', settings, []);
    await sql(other.em.fork(), settings);
    const connections = `select from pg_stat_activity where application_name = 'other'`;
    expect(await sql(em, connections)).toHaveLength(2);
    await other.close();
    await expect.poll(() => sql(em, connections)).toEqual([]);
  });

  it('keep their connection when one fails, unless the connection itself is lost', async () => {
    const em = database.orm.em.fork();
    const readPid = async () => {
      const [row] = await preparedSql<{ pid: number }>(em, 'read_pid', 'select pg_backend_pid() as pid', []);
      return row?.pid;
    };
    const pid = await readPid();
    await expect(preparedSql(em, 'divide', 'select 1 / $1::int', [0])).rejects.toMatchObject({
      code: '22012',
    });
    expect(await readPid()).toBe(pid);

    const end = preparedSql(em, 'end_session', 'select pg_terminate_backend(pg_backend_pid())', []);
    await expect(end).rejects.toMatchObject({ code: '57P01' });
    expect(await readPid()).not.toBe(pid);
  });

  it('take part in a transaction that is open', async () => {
    const em = database.orm.em.fork();
    const projectId = randomUUID();
    const failure = new Error('rolled back');
    const run = em.transactional(async (transaction) => {
      await trackEvents(transaction, [trackInput(projectId, 'a@example.com')]);
      throw failure;
    });
    await expect(run).rejects.toBe(failure);
    expect(await sql(em, 'select 1 from contacts where project_id = $1', [projectId])).toEqual([]);
  });
});

it('gives instants as Date and keeps parameters apart from the text', async () => {
  const [row] = await sql<{ at: Date; text: string }>(
    database.orm.em.fork(),
    `select '2026-01-02T03:04:05.678Z'::timestamptz as at, $1::text as text`,
    [`'; drop table contacts; -- $2`],
  );
  expect(row).toEqual({ at: new Date('2026-01-02T03:04:05.678Z'), text: `'; drop table contacts; -- $2` });
});
