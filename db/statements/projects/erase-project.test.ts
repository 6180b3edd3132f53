import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Slice, SliceOver } from '../../../core/slice.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { ProjectErasure } from '../../entities/project-security.ts';
import { sql } from '../../testing/sql.ts';
import { eraseProject } from './erase-project.ts';
import { findErasure, recordErasure } from './erasure-orders.ts';

const rows = 12_000;
const database = useTestDatabase();
const { em } = database;

const run = <Row = { n: number }>(text: string, parameters: unknown[] = []) =>
  sql<Row>(em(), text, parameters);

/** A project with more rows in each large table than one transaction deletes. */
async function createFullProject(): Promise<string> {
  const { id } = await createTestProject(database);
  await run(
    `insert into contacts (id, project_id, email) select uuidv7(), $1, 'c' || n || '@example.com' from generate_series(1, ${rows}) n`,
    [id],
  );
  await run(
    `insert into emails (id, project_id, source, to_email, from_email)
     select uuidv7(), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com' from generate_series(1, ${rows})`,
    [id],
  );
  await run(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at)
     select uuidv7(), $1, 'opened', case when n % 2 = 0 then 'activity' else 'tracked' end, uuidv7(), now()
     from generate_series(1, ${rows}) n`,
    [id],
  );
  return id;
}
async function startReset(projectId: string): Promise<string> {
  const id = crypto.randomUUID();
  await em().transactional((em) => recordErasure(em, { id, projectId, isReset: true }));
  return id;
}
async function erase(id: string, slice: Slice = { endsAt: Infinity }): Promise<void> {
  const erasure = await findErasure(em(), id);
  if (erasure === undefined) throw new Error('There is no erasure');
  await eraseProject(em(), erasure, slice);
}
const leftOf = (projectId: string) =>
  run(
    `select ((select count(*) from contacts where project_id = $1) + (select count(*) from emails where project_id = $1)
      + (select count(*) from events where project_id = $1 and name = 'opened'))::int as n`,
    [projectId],
  );

describe('the erasure of a project', () => {
  it('resumes after interruptions, and counts each row once', async () => {
    const [projectId, neighbor] = [await createFullProject(), await createFullProject()];
    const id = await startReset(projectId);
    let cuts = 0;
    for (let batches = 1; ; batches += 4) {
      let looks = 0;
      const signal = new AbortController().signal;
      signal.throwIfAborted = () => {
        looks += 1;
        if (looks > batches) throw new Error('killed');
      };
      const outcome = await erase(id, { signal, endsAt: Infinity }).then(
        () => 'done',
        () => 'killed',
      );
      if (outcome === 'done') break;
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(3);
    expect(await leftOf(projectId)).toEqual([{ n: 0 }]);
    expect(await leftOf(neighbor)).toEqual([{ n: 3 * rows }]);
    const reset = await em().findOne(ProjectErasure, { projectId });
    expect(reset?.done).toMatchObject({ contacts: rows, emails: rows, events: rows });
  });

  it('advances in every slice, even if its time is up before it begins', async () => {
    const projectId = await createFullProject();
    await run(
      `insert into workflows (id, project_id, name, event_name, version)
       select uuidv7(), $1, 'x' || n, 'x', 1 from generate_series(1, 3) n`,
      [projectId],
    );
    await run(
      `insert into message_contents (id, project_id) select uuidv7(), $1 from generate_series(1, 250)`,
      [projectId],
    );
    const id = await startReset(projectId);
    const contents = async () =>
      (await run('select from message_contents where project_id = $1', [projectId])).length;
    const contentsLeft = new Set<number>();
    const next = () => erase(id, { endsAt: 0 });
    let slices = 1;
    for (; slices < 100; slices += 1) {
      const before = await leftOf(projectId);
      const isOver = await next().then(
        () => false,
        (error) => {
          if (!(error instanceof SliceOver)) throw error;
          return true;
        },
      );
      if (!isOver) break;
      contentsLeft.add(await contents());
      const [{ n } = { n: 0 }] = await leftOf(projectId);
      expect((before[0]?.n ?? 0) - n).toBeLessThanOrEqual(5_000);
    }
    // Contents may be large.
    expect([...contentsLeft]).toEqual([250, 150, 50, 0]);
    // Three batches each of contacts, emails and two kinds of events.
    expect(slices).toBeGreaterThan(8);
    expect(slices).toBeLessThan(100);
    expect(await leftOf(projectId)).toEqual([{ n: 0 }]);
    const reset = await em().findOne(ProjectErasure, { projectId });
    expect(reset?.done).toMatchObject({ contacts: rows, emails: rows, events: rows, workflows: 3 });
  });

  it('keeps events of another project with the same ctids in another partition', async () => {
    const projects = await Promise.all([createTestProject(database), createTestProject(database)]);
    const [gone, kept] = projects.map(({ id }) => id);
    // The partitions of two months that nothing else writes to.
    const insert = (projectId: string | undefined, months: number) =>
      run(
        `insert into events (id, project_id, name, kind, contact_id, occurred_at)
         select uuidv7(make_interval(months => $2)), $1, 'opened', 'tracked', uuidv7(), now() from generate_series(1, 100)`,
        [projectId, months],
      );
    await insert(gone, -1);
    await insert(kept, 2);
    await insert(gone, 0);
    const places = await run(
      `select count(distinct tableoid)::int as n from events where project_id in ($1, $2) and name = 'opened'`,
      [gone, kept],
    );
    expect(places).toEqual([{ n: 3 }]);
    await erase(await startReset(gone ?? ''));
    expect(await leftOf(gone ?? '')).toEqual([{ n: 0 }]);
    expect(await leftOf(kept ?? '')).toEqual([{ n: 100 }]);
  });

  it('keeps what is created after it was ordered', async () => {
    const { id: projectId } = await createTestProject(database);
    const id = await startReset(projectId);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await run(`insert into contacts (id, project_id, email) values (uuidv7(), $1, 'new@example.com')`, [
      projectId,
    ]);
    await run(
      `insert into emails (id, project_id, source, to_email, from_email) values (uuidv7(), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com')`,
      [projectId],
    );
    await erase(id);
    expect(await leftOf(projectId)).toEqual([{ n: 2 }]);
  });

  it('leaves no traces of its contacts in what is created after it was ordered', async () => {
    const { id: projectId } = await createTestProject(database);
    const [old, recent, segment] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const addContact = (id: string) =>
      run('insert into contacts (id, project_id, email) values ($1, $2, $3)', [
        id,
        projectId,
        `${id}@example.com`,
      ]);
    await addContact(old);
    const id = await startReset(projectId);
    await delay(5);
    await addContact(recent);
    await run(
      `insert into segments (id, project_id, name, type, slug) values ($1, $2, 'VIP', 'STATIC', 'vip')`,
      [segment, projectId],
    );
    await run('insert into segment_members (segment_id, contact_id) select $1, unnest($2::uuid[])', [
      segment,
      [old, recent],
    ]);
    await run(
      `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
       select $1, 'opened', contact, 1, now(), now(), uuidv7() from unnest($2::uuid[]) contact`,
      [projectId, [old, recent]],
    );
    await erase(id);
    const kept = [{ contact_id: recent }];
    expect(await run('select contact_id from segment_members where segment_id = $1', [segment])).toEqual(
      kept,
    );
    expect(
      await run('select contact_id from contact_event_stats where project_id = $1', [projectId]),
    ).toEqual(kept);
  });

  it('waits for rows locked by others, and deletes the children they write', async () => {
    const { id: projectId } = await createTestProject(database);
    const [workflow, contact] = [crypto.randomUUID(), crypto.randomUUID()];
    await run(
      `insert into workflows (id, project_id, name, event_name, version) values ($1, $2, 'x', 'x', 1)`,
      [workflow, projectId],
    );
    await run(`insert into contacts (id, project_id, email) values ($1, $2, 'ada@example.com')`, [
      contact,
      projectId,
    ]);
    const id = await startReset(projectId);
    const [hasLocked, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // As an event that starts an execution does.
    const event = em().transactional(async (own) => {
      await sql(own, 'select from contacts where id = $1 for no key update', [contact]);
      await sql(own, 'select from workflows where id = $1 for key share', [workflow]);
      hasLocked.resolve();
      await mayCommit.promise;
      await sql(
        own,
        `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
         values (uuidv7(), $1, $2, 1, $3, false)`,
        [projectId, workflow, contact],
      );
    });
    await hasLocked.promise;
    const erasing = erase(id);
    await Promise.race([erasing, delay(1_000)]);
    mayCommit.resolve();
    await Promise.all([event, erasing]);
    expect(
      await run(
        `select (select count(*) from contacts where project_id = $1)::int as contacts,
           (select count(*) from workflows where project_id = $1)::int as workflows,
           (select count(*) from workflow_executions where project_id = $1)::int as executions`,
        [projectId],
      ),
    ).toEqual([{ contacts: 0, workflows: 0, executions: 0 }]);
  });

  it('deletes the rows behind one that has to stay', async () => {
    const { id: projectId } = await createTestProject(database);
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of [first, second]) {
      await run(
        `insert into template_contents (id, project_id, subject, body, from_email) values ($1, $2, 'x', 'x', 'a@example.com')`,
        [id, projectId],
      );
    }
    const id = await startReset(projectId);
    const hold = (contentId: string) => {
      const [hasLocked, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = em().transactional(async (own) => {
        await sql(own, 'select from template_contents where id = $1 for update', [contentId]);
        hasLocked.resolve();
        await mayCommit.promise;
      });
      const release = () => {
        mayCommit.resolve();
        return holding;
      };
      return { hasLocked: hasLocked.promise, release };
    };
    const [holdsFirst, holdsSecond] = [hold(first), hold(second)];
    await Promise.all([holdsFirst.hasLocked, holdsSecond.hasLocked]);
    const erasing = erase(id);
    await Promise.race([erasing, delay(1_000)]);
    // Queued since the erasure was ordered, with a text from before.
    await run(
      `insert into message_contents (id, project_id, template_content_id) values (uuidv7(), $1, $2)`,
      [projectId, first],
    );
    await holdsFirst.release();
    await Promise.race([erasing, delay(500)]);
    await holdsSecond.release();
    await erasing;
    expect(await run('select id from template_contents where project_id = $1', [projectId])).toEqual([
      { id: first },
    ]);
  });

  it('can be ordered by one reset at a time, and by a deletion at any time', async () => {
    const { id: projectId } = await createTestProject(database);
    await startReset(projectId);
    await expect(startReset(projectId)).rejects.toThrow('project_erasures_reset');
    await recordErasure(em(), { id: crypto.randomUUID(), projectId, isReset: false });
  });

  it.each([
    ['emails', `project_id = $1 and source = 'CAMPAIGN' order by project_id, id limit 10`],
    ['message_contents', `project_id = $1 order by project_id, id limit 10`],
    ['events', `project_id = $1 and kind = 'activity' order by project_id, id limit 10`],
    [
      'events',
      `project_id = $1 and kind <> 'activity' order by project_id, name, contact_id, occurred_at limit 10`,
    ],
    ['contacts', `project_id = $1 order by project_id, created_at, id limit 10`],
  ])('finds rows of %s by project through an index', async (table, where) => {
    const plan = await em().transactional(async (em) => {
      // A small table is read whole and sorted, whatever its indexes.
      for (const way of ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']) {
        await sql(em, `set local enable_${way} = off`);
      }
      return sql<Record<string, string>>(
        em,
        `explain select 1 from ${table} where ${where.replace('$1', `'${crypto.randomUUID()}'`)}`,
      );
    });
    const text = plan.map((line) => Object.values(line).join()).join('\n');
    expect(text).toMatch(/Index (Only )?Scan using/);
    expect(text).not.toContain('Seq Scan');
    expect(text).not.toMatch(/\bSort {2}\(/);
  });
});
