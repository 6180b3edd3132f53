import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/setup/database.ts';
import { acceptInput, handOverRecord, providerEvent, trackInput } from '../test/setup/inputs.ts';
import { createOrm, preparedPoolOf } from './orm.ts';
import { claimCampaignEmails } from './statements/campaigns/claim-campaign-emails.ts';
import { acceptEmails } from './statements/emails/accept-emails.ts';
import { applyProviderEvents } from './statements/emails/apply-provider-events.ts';
import { recordHandOvers } from './statements/emails/hand-overs.ts';
import { trackEvents } from './statements/events/track-events.ts';
import { readTemplateContents } from './statements/templates/read-template-contents.ts';
import { preparedSql, sql } from './testing/sql.ts';

let database: TestDatabase;
beforeEach(async () => {
  // One connection for prepared statements, so that a test gets the connection that prepared them.
  database = await createTestDatabase(3);
});
afterEach(() => database.close());

interface Read {
  table: string;
  /** Whether the index leads to the rows, instead of listing all of them. */
  isLookUp: boolean;
}

/** How a plan reads tables. */
function* readsOf(plan: unknown): Generator<Read> {
  if (typeof plan !== 'object' || plan === null) return;
  const table: unknown = Reflect.get(plan, 'Relation Name');
  const by = String(Reflect.get(plan, 'Node Type'));
  if (typeof table === 'string' && by.includes('Scan')) {
    yield { table, isLookUp: Reflect.has(plan, 'Index Cond') || by === 'Bitmap Heap Scan' };
  }
  for (const part of Object.values(plan)) yield* readsOf(part);
}

describe('prepared statements', () => {
  /**
   * Row counts known to the planner: a plan is kept while tables grow, even one made when reading everything was
   * cheapest.
   */
  it.each([0, 20, 100, 400, 2_000])(
    'use look-ups by key even with a plan made for tables of %i rows',
    async (count) => {
      const em = database.em();
      const [projectId, token] = [randomUUID(), randomUUID()];
      await sql(
        em,
        `with contact as (
         insert into contacts (id, project_id, email)
         select uuidv7(), $1, 'user' || n || '@example.com' from generate_series(1, $2) n
         returning id, email
       ),
       email as (
         insert into emails (id, project_id, to_email, from_email, source, type, status, contact_id, claim_token)
         select uuidv7(), $1, email, 'sender@example.com', 'TRANSACTIONAL', 'TRANSACTIONAL', 'SENT', id,
           gen_random_uuid()
         from contact
       ),
       event as (
         insert into events (id, project_id, name, kind, contact_id, occurred_at)
         select uuidv7(), $1, 'signed_up', 'tracked', id, now() from contact
       ),
       notification as (insert into provider_notifications (id) select gen_random_uuid() from contact)
       insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
       select $1, 'signed_up', id, 1, now(), now(), uuidv7() from contact`,
        [projectId, count],
      );
      const tables = ['contacts', 'emails', 'contact_event_stats', 'provider_notifications', 'events'];
      for (const table of tables) await sql(em, `vacuum (analyze, truncate) ${table}`);
      await trackEvents(em, [trackInput(projectId, 'a@example.com')]);
      await acceptEmails(em, [acceptInput(projectId, ['a@example.com'])]);
      await applyProviderEvents(em, [providerEvent(randomUUID(), 'delivery')]);
      await recordHandOvers(em, token, [handOverRecord(randomUUID())]);
      const batch = { campaignId: randomUUID(), firstEmailId: randomUUID(), lastEmailId: randomUUID() };
      await claimCampaignEmails(em, batch, 500, token);
      await readTemplateContents(em, [{ projectId, id: randomUUID(), known: null }]);

      const pool = preparedPoolOf(em);
      if (pool === undefined) throw new Error('There is no pool of prepared statements');
      const prepared = await pool.query<{ name: string; types: number }>(
        `select name, cardinality(parameter_types) as types from pg_prepared_statements`,
      );
      expect(prepared.rows.map(({ name }) => name).toSorted()).toEqual([
        'accept_emails',
        'apply_provider_events',
        'claim_campaign_emails',
        'read_template_contents',
        'record_hand_overs',
        'track_events',
      ]);
      const scans: string[] = [];
      for (const { name, types } of prepared.rows) {
        const nulls = Array.from({ length: types }, () => 'null').join(', ');
        const { rows } = await pool.query<{ 'QUERY PLAN': object[] }>(
          `explain (format json) execute ${name}(${nulls})`,
        );
        const reads = [...readsOf(rows[0]?.['QUERY PLAN'])];
        expect(reads.length, name).toBeGreaterThan(0);
        for (const { table, isLookUp } of reads) if (!isLookUp) scans.push(`${name}: ${table}`);
      }
      expect(scans).toEqual([]);
    },
  );

  it('are prepared once on a connection', async () => {
    const em = database.em();
    for (let run = 0; run < 3; run += 1) await trackEvents(em, [trackInput(randomUUID(), 'a@example.com')]);
    const names = await preparedSql<{ name: string; calls: number }>(
      em,
      'read_prepared',
      `select name, (generic_plans + custom_plans)::int as calls from pg_prepared_statements where name <> $1`,
      ['read_prepared'],
    );
    expect(names).toEqual([{ name: 'track_events', calls: 3 }]);
  });

  it('run on separate connections, leave the planner of the others alone, and end with them', async () => {
    const em = database.em();
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
    await expect.poll(() => sql(em, connections), { timeout: 90_000 }).toEqual([]);
  });

  it('keep their connection after a failure, unless the connection itself is lost', async () => {
    const em = database.em();
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

  it('take part in an open transaction', async () => {
    const em = database.em();
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

it('returns instants as Date and keeps parameters apart from the text', async () => {
  const [row] = await sql<{ at: Date; text: string }>(
    database.em(),
    `select '2026-01-02T03:04:05.678Z'::timestamptz as at, $1::text as text`,
    [`'; drop table contacts; -- $2`],
  );
  expect(row).toEqual({ at: new Date('2026-01-02T03:04:05.678Z'), text: `'; drop table contacts; -- $2` });
});
