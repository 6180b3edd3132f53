import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { findWrongCounts } from '../../../test/setup/read-database.ts';
import { EventDeletion } from '../../entities/event.ts';
import { completeDeletion, deleteEvents } from './delete-events.ts';
import { type DeletedName, recordEventDeletion } from './record-event-deletion.ts';
import { trackEvents } from './track-events.ts';

const database = useTestDatabase(20);
const { em, sql } = database;
const project = useProject(em);

const name = "it's / a \\ name.é😀";
const record = (of = name) => recordEventDeletion(em(), project.id, of);
const deleteNow = async (deletion: DeletedName) => {
  const deleted = await deleteEvents(em(), deletion);
  await completeDeletion(em(), deletion);
  return deleted;
};
const deleteAll = async (of = name) => deleteNow(await record(of));
const track = (contact: number, eventName = name) =>
  trackEvents(em(), [trackInput(project.id, `user${contact}@example.com`, { eventName })]);

const disagreements = () => findWrongCounts(em(), project.id);

/** Without the journal's markers of deletions. */
async function eventsLeft(): Promise<{ name: string; kind: string; count: number }[]> {
  return sql(
    `select name, kind, count(*)::int as count from events
     where project_id = $1 and name <> 'events.deleted' group by 1, 2 order by 1, 2`,
    [project.id],
  );
}

function writeEvent(event: { name?: string; kind?: string; contactId?: string | null; project?: string }) {
  return sql(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at) values ($1, $2, $3, $4, $5, now())`,
    [
      uuidv7(),
      event.project ?? project.id,
      event.name ?? name,
      event.kind ?? 'tracked',
      event.contactId ?? null,
    ],
  );
}

describe('deleting the events of a name', () => {
  it('deletes exactly those, with or without a contact, but no activity, other names or other projects', async () => {
    for (const contact of [1, 1, 2]) await track(contact);
    await track(1, 'another');
    await writeEvent({});
    await writeEvent({ kind: 'emitted' });
    await writeEvent({ kind: 'activity' });
    await writeEvent({ project: randomUUID() });
    expect(await deleteAll()).toBe(5);
    expect(await eventsLeft()).toEqual([
      { name: 'another', kind: 'tracked', count: 1 },
      { name, kind: 'activity', count: 1 },
    ]);
    expect(await disagreements()).toEqual([]);
    expect(await sql('select name from contact_event_stats where project_id = $1', [project.id])).toEqual([
      { name: 'another' },
    ]);
    expect(await deleteAll()).toBe(0);
  });

  it('forgets the counts of events whose partition was dropped', async () => {
    for (const contact of [1, 2, 2]) await track(contact);
    await sql('delete from events where project_id = $1', [project.id]);
    const deletion = await record();
    await track(2);
    expect(await deleteNow(deletion)).toBe(0);
    expect(
      await sql(
        'select count, first_at = last_at as "isOne" from contact_event_stats where project_id = $1',
        [project.id],
      ),
    ).toEqual([{ count: 1, isOne: true }]);
    expect(await disagreements()).toEqual([]);
  });

  it('deletes more than one batch, even many of one contact at one instant', async () => {
    const [{ contactId } = { contactId: '' }] = await track(1);
    await sql(
      `with written as (
         insert into events (id, project_id, name, kind, contact_id, occurred_at)
         select uuidv7(), $1, $2, 'tracked', case when n <= 11000 then $3::uuid end,
           now() - make_interval(secs => case when n <= 7000 then 7 else n end)
         from generate_series(1, 17000) n
         returning contact_id, occurred_at
       )
       update contact_event_stats s
       set count = s.count + 11000, first_at = (select min(occurred_at) from written where contact_id is not null)
       where project_id = $1`,
      [project.id, name, contactId],
    );
    expect(await disagreements()).toEqual([]);
    expect(await deleteAll()).toBe(17_001);
    expect(await eventsLeft()).toEqual([]);
    expect(await disagreements()).toEqual([]);
  });

  it('keeps what was tracked after it was recorded, and counts exactly that', async () => {
    await track(1);
    await track(1);
    await track(2);
    const deletion = await record();
    await track(1);
    await track(3);
    expect(await deleteEvents(em(), deletion)).toBe(3);
    expect(await eventsLeft()).toEqual([{ name, kind: 'tracked', count: 2 }]);
    expect(await disagreements()).toEqual([]);
  });

  it('records the age of the youngest deleted event, whatever clock made its id', async () => {
    await track(1);
    const ahead = new Date(Date.now() + 60_000);
    await sql(
      `insert into events (id, project_id, name, kind, occurred_at) values ($1, $2, $3, 'tracked', now())`,
      [uuidv7({ msecs: ahead.getTime() }), project.id, name],
    );
    const deletion = await record();
    expect(deletion.before < ahead).toBe(true);
    await deleteEvents(em(), deletion);
    expect((await em().findOne(EventDeletion, { id: deletion.id }))?.before).toEqual(ahead);
  });

  it('completes an interrupted deletion, and two at once share the work', async () => {
    for (let contact = 0; contact < 40; contact += 1) await track(contact % 8);
    const session = new pg.Client({ connectionString: database.url });
    await session.connect();
    onTestFinished(() => session.end());
    // A killed process leaves a transaction that is rolled back.
    await session.query('begin');
    await session.query('delete from events where project_id = $1', [project.id]);
    const both = Promise.all([deleteAll(), deleteAll()]);
    await session.query('rollback');
    const [one, other] = await both;
    expect(one + other).toBe(40);
    expect(await eventsLeft()).toEqual([]);
    expect(await disagreements()).toEqual([]);
  });
});

describe('while the same event is being tracked', () => {
  it('statistics and events agree, and no event after the call is lost', async () => {
    const contacts = 12;
    let isOver = false;
    const failures: unknown[] = [];
    const tracked: string[] = [];
    /** Batches of several contacts, as the API writes them. */
    const tracker = async (seed: number) => {
      for (let round = 0; !isOver; round += 1) {
        const inputs = Array.from({ length: 1 + ((seed + round) % 5) }, (_, index) =>
          trackInput(project.id, `user${(seed * 7 + round * 3 + index * 5) % contacts}@example.com`, {
            eventName: (round + index) % 4 === 0 ? 'another' : name,
            occurredAt: new Date(Date.now() - ((seed * 31 + round * 17) % 5_000)),
          }),
        );
        try {
          await trackEvents(em(), inputs);
          tracked.push(...inputs.filter((input) => input.eventName === name).map((input) => input.eventId));
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const trackers = Promise.all([1, 2, 3, 4].map(tracker));
    onTestFinished(() => {
      isOver = true;
    });
    let deleted = 0;
    for (let round = 0; round < 15; round += 1) {
      await delay(20);
      const deletions = await Promise.all([deleteAll(), ...(round % 3 === 0 ? [deleteAll()] : [])]);
      deleted += deletions.reduce((sum, count) => sum + count, 0);
      expect(await disagreements()).toEqual([]);
    }
    isOver = true;
    await trackers;
    expect(failures).toEqual([]);
    expect(await disagreements()).toEqual([]);
    const left = (await eventsLeft()).find((group) => group.name === name)?.count ?? 0;
    expect(deleted).toBeGreaterThan(0);
    expect(deleted + left).toBe(tracked.length);
    deleted += await deleteAll();
    expect(deleted).toBe(tracked.length);
    expect(await disagreements()).toEqual([]);
  });
});
