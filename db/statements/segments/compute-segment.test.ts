import { LockMode } from '@mikro-orm/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import type { segmentTypes } from '../../../core/segments/segment-types.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { forgetEventStatistics } from '../../../test/setup/forget-event-statistics.ts';
import { findWrongCounts, readEvents } from '../../../test/setup/read-database.ts';
import { insertSegment, planIs, where } from '../../../test/setup/segments.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import { allProjects } from '../../entities/project-em.ts';
import { Segment } from '../../entities/segment.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { sql } from '../../testing/sql.ts';
import { deleteContacts } from '../contacts/delete-contacts.ts';
import { changeStaticMembers } from './change-static-members.ts';
import { type ComputationProgress, computationStart, computeSegment } from './compute-segment.ts';
import { evaluateSegments } from './evaluate-segments.ts';

const { em } = useTestDatabase();
let project: string;
beforeEach(() => {
  project = newId();
});

async function trackedSegment(
  type: (typeof segmentTypes)[number] = 'DYNAMIC',
  condition = type === 'DYNAMIC' ? planIs('pro') : null,
): Promise<string> {
  const id = newId();
  const text = { name: 'A', description: null, slug: id, trackMembership: true };
  await insertSegment(em(), { id, projectId: project, type, condition, filterCount: 1, ...text });
  return id;
}

async function addContact(email: string): Promise<string> {
  const id = newId();
  await sql(
    em(),
    `insert into contacts (id, project_id, email, data) values ($1, $2, $3, '{"plan": "pro"}')`,
    [id, project, email],
  );
  return id;
}

const compute = (id: string, from = computationStart, onBatch = (_progress: ComputationProgress) => {}) =>
  computeSegment(em(), project, id, from, onBatch);

const members = (id: string) =>
  sql<{ contact: string }>(em(), 'select contact_id as contact from segment_members where segment_id = $1', [
    id,
  ]);

/** Settles when a connection of this database waits for a lock, or when `work` has ended without waiting. */
async function blockedOrDone(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  const waiting = () =>
    sql(
      em(),
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await eventually(waiting, (rows) => isDone || rows.length > 0);
}

describe('a computation', () => {
  it('reads the events of each contact once, however few contacts of the event Postgres expects', async () => {
    await sql(
      em(),
      `with contact as (
         insert into contacts (id, project_id, email, created_at)
         select gen_random_uuid(), $1, n || '@example.com', '2026-01-01' from generate_series(1, 21000) n
         returning id
       )
       insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
       select $1, 'ordered', id, 1, now(), now(), uuidv7() from contact`,
      [project],
    );
    await sql(em(), 'analyze contact_event_stats');
    await forgetEventStatistics((text, parameters) => sql(em(), text, parameters));
    const condition = where({ field: 'event.ordered', operator: 'triggered' });
    const id = await trackedSegment('DYNAMIC', condition);
    const read = await rowsRead(em(), (inner) => {
      const fork = inner.fork.bind(inner);
      // Otherwise the batches run on other connections.
      inner.fork = (options = { keepTransactionContext: true }) => fork(options);
      return computeSegment(inner, project, id, computationStart, () => undefined);
    });
    expect(read.get('contact_event_stats_pkey')).toBe(21_000);
    expect(await members(id)).toHaveLength(21_000);
  });

  it('evaluates each contact once, even when thousands were created in the same instant', async () => {
    await sql(
      em(),
      `insert into contacts (id, project_id, email, data, created_at)
       select gen_random_uuid(), $1, n || '@example.com', jsonb_build_object('plan', case when n % 3 = 0 then 'free' else 'pro' end),
         '2026-01-01'
       from generate_series(1, 45000) n`,
      [project],
    );
    const id = await trackedSegment();
    const steps: ComputationProgress[] = [];
    const result = await compute(id, computationStart, (progress) => steps.push(progress));
    expect(result).toMatchObject({ added: 30_000, removed: 0, total: 30_000 });
    expect(steps.length).toBeGreaterThan(1);
    expect(await members(id)).toHaveLength(30_000);
    expect(await findWrongCounts(em(), project)).toEqual([]);

    // From the middle, as another worker would continue: nothing before it is read again.
    await sql(em(), `update contacts set data = '{"plan": "free"}' where project_id = $1`, [project]);
    const half = steps[0] ?? computationStart;
    const rest = await compute(id, half);
    expect(rest?.removed).toBe(30_000 - half.total);
    expect(rest?.total).toBe(half.total);
    expect((await em().findOneOrFail(Segment, id, allProjects)).memberCount).toBe(half.total);
  });

  it('repeats a batch that takes too long with fewer contacts', async () => {
    await sql(
      em(),
      `insert into contacts (id, project_id, email, data)
       select gen_random_uuid(), $1, n || '@example.com', '{"plan": "pro"}' from generate_series(1, 100) n`,
      [project],
    );
    const id = await trackedSegment();
    const result = await computeSegment(
      em(),
      project,
      id,
      computationStart,
      () => undefined,
      (batch) => batch(),
      1,
    );
    expect(result).toMatchObject({ added: 100, total: 100 });
    expect(await members(id)).toHaveLength(100);
  });

  it('waits for another computation of the segment, and then sees its result', async () => {
    const contact = await addContact('ada@example.com');
    const id = await trackedSegment();
    let computing: ReturnType<typeof compute> | undefined;
    await em().transactional(async (other) => {
      await sql(other, 'select 1 from segments where id = $1 for no key update', [id]);
      computing = compute(id);
      await blockedOrDone(computing);
      await sql(em(), `update contacts set data = '{"plan": "free"}' where id = $1`, [contact]);
    });
    expect(await computing).toMatchObject({ added: 0, total: 0 });
    expect(await readEvents(em(), project)).toEqual([]);
  });

  it('leaves no trace of a contact deleted while it enters', async () => {
    const contact = await addContact('ada@example.com');
    await addContact('bob@example.com');
    const id = await trackedSegment();
    let computing: ReturnType<typeof compute> | undefined;
    await em().transactional(async (other) => {
      await deleteContacts(other, project, [contact]);
      computing = compute(id);
      await blockedOrDone(computing);
    });
    expect(await computing).toMatchObject({ added: 1 });
    expect(await members(id)).toHaveLength(1);
    expect((await readEvents(em(), project)).map((event) => event.contactId)).not.toContain(contact);
    const statistics = await sql(em(), 'select 1 from contact_event_stats where contact_id = $1', [contact]);
    expect(statistics).toEqual([]);
  });

  it('ends without a result when the segment is deleted or no longer tracked', async () => {
    const id = await trackedSegment();
    await sql(em(), 'update segments set track_membership = false where id = $1', [id]);
    expect(await compute(id)).toBeUndefined();
    expect(await compute(newId())).toBeUndefined();
    expect(await compute(await trackedSegment('STATIC'))).toBeUndefined();
  });
});

describe('a contact being added to a static segment', () => {
  it('leaves no trace there when it is deleted at the same time', async () => {
    const contact = await addContact('ada@example.com');
    const segment = await em().findOneOrFail(Segment, await trackedSegment('STATIC'), allProjects);
    let adding: Promise<unknown> | undefined;
    await em().transactional(async (other) => {
      await deleteContacts(other, project, [contact]);
      adding = changeStaticMembers(em(), segment, 'add', ['ada@example.com']);
      await blockedOrDone(adding);
    });
    expect(await adding).toEqual({ changed: 0, found: [] });
    expect(await members(segment.id)).toEqual([]);
    expect(await readEvents(em(), project)).toEqual([]);
  });

  it('leaves no trace when its deletion has to wait for it', async () => {
    const contact = await addContact('ada@example.com');
    const segment = await em().findOneOrFail(Segment, await trackedSegment('STATIC'), allProjects);
    let deleting: Promise<unknown> | undefined;
    await em().transactional(async (other) => {
      await changeStaticMembers(other, segment, 'add', ['ada@example.com']);
      deleting = em().transactional((own) => deleteContacts(own, project, [contact]));
      await blockedOrDone(deleting);
    });
    expect(await deleting).toEqual([contact]);
    expect(await members(segment.id)).toEqual([]);
    expect(await sql(em(), 'select 1 from contact_event_stats where contact_id = $1', [contact])).toEqual([]);
  });
});

describe('entering contacts', () => {
  const bits = (id: string) => new Map([[id, 1]]);
  const ways: Record<string, (segment: Segment, contacts: string[]) => Promise<unknown>> = {
    'in a computation': ({ id }) => compute(id),
    'in a round': ({ id }, contacts) =>
      evaluateSegments(
        em(),
        project,
        { bits: bits(id), contacts: new Map(contacts.map((contact) => [contact, 1])) },
        new Map(),
      ),
    'by address': (segment) => changeStaticMembers(em(), segment, 'add', ['z@example.com', 'a@example.com']),
  };

  it.each(Object.entries(ways))(
    '%s are locked in the order in which a deletion locks them',
    async (_, enter) => {
      const contacts = [await addContact('z@example.com'), await addContact('a@example.com')];
      const segment = await em().findOneOrFail(Segment, await trackedSegment(), allProjects);
      let entering: Promise<unknown> | undefined;
      await em().transactional(async (own) => {
        // A deadlock would end this transaction first: rounds and computations are retried.
        await sql(own, `set local deadlock_timeout = '10ms'`);
        const lock = (id: string | undefined) =>
          sql(own, 'select from contacts where id = $1 for update', [id]);
        await lock(contacts[1]);
        entering = enter(segment, contacts);
        await untilBlocking(own);
        await lock(contacts[0]);
      });
      await entering;
      expect(await members(segment.id)).toHaveLength(2);
    },
  );
});

it('completing an event deletion locks the segments that read the events as rounds do, without a deadlock', async () => {
  const [first, last] = [await trackedSegment(), await trackedSegment()];
  const deletion = newId();
  // Found by their slugs, they come in the opposite order.
  await sql(
    em(),
    `update segments set inputs = '{event.bought}', slug = case id when $2 then 'z' else 'a' end where project_id = $1`,
    [project, first],
  );
  await sql(
    em(),
    `insert into event_deletions (id, project_id, name, before) values ($1, $2, 'bought', now())`,
    [deletion, project],
  );
  let ending: Promise<unknown> | undefined;
  await em().transactional(async (own) => {
    const lock = (id: string) =>
      own.findOne(Segment, { id }, { ...allProjects, lockMode: LockMode.PESSIMISTIC_WRITE });
    await lock(first);
    ending = em().transactional(async (other) => {
      await sql(other, 'set local enable_bitmapscan = off');
      await sql(other, 'set local enable_seqscan = off');
      await sql(other, 'delete from event_deletions where id = $1', [deletion]);
    });
    await untilBlocking(own);
    await lock(last);
  });
  await ending;
  expect(await sql(em(), 'select from segments where project_id = $1 and is_current', [project])).toEqual([]);
});
