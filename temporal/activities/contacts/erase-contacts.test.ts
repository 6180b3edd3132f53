import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type ClickHouse, connectClickHouse, withoutClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseTimedOut, ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import { activityStats } from '../../../analytics/questions/activity-stats.ts';
import { activityFeed } from '../../../analytics/questions/event-listings.ts';
import { eraseContactTraces, findErasures } from '../../../db/statements/contacts/contact-erasures.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { sql } from '../../../db/testing/sql.ts';
import { useJournalStage } from '../../../journal/testing/journal-stage.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { trackInput } from '../../../test/setup/inputs.ts';
import { eraseDeletedContacts } from './erase-contacts.ts';

const stage = useJournalStage();

const em = () => stage.em();
const erase = (clickhouse: ClickHouse = stage.clickhouse, { signal } = new AbortController()) =>
  eraseDeletedContacts(em(), clickhouse, signal);
const remove = (...ids: string[]) =>
  em().transactional((transaction) => deleteContacts(transaction, stage.projectId, ids));
const track = (address: string) => trackEvents(em(), [trackInput(stage.projectId, address)]);
const rows = async <Row>(text: string, ...parameters: unknown[]) => sql<Row>(em(), text, parameters);

async function addContact(address: string): Promise<string> {
  await track(address);
  const [contact] = await rows<{ id: string }>(
    'select id from contacts where project_id = $1 and email = $2',
    stage.projectId,
    address,
  );
  return contact?.id ?? '';
}

const tracesIn = async (contactId: string) => ({
  events: (await rows('select 1 from events where contact_id = $1', contactId)).length,
  statistics: (await rows('select 1 from contact_event_stats where contact_id = $1', contactId)).length,
});
/** ClickHouse after a look at each question, which may refuse it. */
const lookingAt = (look: (parameters: Parameters<ClickHouse['query']>[1]) => void): ClickHouse => ({
  ...stage.clickhouse,
  async query(question, parameters) {
    look(parameters);
    return stage.clickhouse.query(question, parameters);
  },
});
const open = () => rows('select 1 from contact_erasures where passed_at is null');
const letPass = (interval: string) =>
  rows('update contact_erasures set passed_at = passed_at - $1::interval', interval);
const streamedOf = async (contactId: string) =>
  (await stage.streamed()).filter((row) => row.contactId === contactId).length;

it('erases the events of deleted contacts everywhere; outcomes of emails no longer name anybody', async () => {
  stage.stream();
  const [gone, stays] = [await addContact('gone@example.com'), await addContact('stays@example.com')];
  const emailId = uuidv7();
  const data = JSON.stringify({ to: 'gone@example.com', subject: 'Hello', reason: 'none', emailId });
  const sent = { name: 'email.sent', kind: 'emitted', contactId: gone, emailId, data } as const;
  await stage.write([sent, { contactId: gone, kind: 'activity', name: 'contact.snoozed' }]);
  await eventually(() => streamedOf(gone), 2);
  expect(await remove(gone)).toEqual([gone]);
  expect(await erase()).toEqual({ contacts: 1, events: 3 });
  expect([await tracesIn(gone), await streamedOf(gone)]).toEqual([{ events: 0, statistics: 0 }, 0]);
  expect([await tracesIn(stays), await streamedOf(stays)]).toEqual([{ events: 1, statistics: 1 }, 1]);
  const feed = await activityFeed(stage.clickhouse, { projectId: stage.projectId, limit: 10 });
  expect(feed.map((row) => row.contactId)).toEqual([null, stays]);
  const kept = { contact_id: null, data: { reason: 'none', emailId } };
  expect(await rows('select contact_id, data from events where email_id = $1', emailId)).toEqual([kept]);
  const day = { startDate: new Date(Date.now() - 86_400_000), endDate: new Date(Date.now() + 60_000) };
  expect(await activityStats(stage.clickhouse, { projectId: stage.projectId, ...day })).toMatchObject({
    sent: 1,
  });
  expect([await open(), await erase()]).toEqual([[], { contacts: 0, events: 0 }]);
});

it('waits for transactions that did not see the deletion, and erases what they wrote', async () => {
  stage.stream();
  const contactId = await addContact('ada@example.com');
  const late = await stage.openSession();
  await late.query('begin isolation level repeatable read');
  await late.query('select 1 from contacts');
  await remove(contactId);
  const erasure = erase();
  await delay(500);
  expect(await open()).toHaveLength(1);
  await late.query(
    `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     values ($1, 'late', $2, 1, now(), now(), uuidv7())`,
    [stage.projectId, contactId],
  );
  await stage.write([{ name: 'late', contactId }], late);
  await late.query('commit');
  expect(await erasure).toMatchObject({ contacts: 1 });
  expect([await tracesIn(contactId), await open()]).toEqual([{ events: 0, statistics: 0 }, []]);
});

it('is retried later while ClickHouse is away', async () => {
  stage.stream();
  const contactId = await addContact('ada@example.com');
  await eventually(() => streamedOf(contactId), 1);
  await remove(contactId);
  const away = { ...stage.clickhouse, command: () => Promise.reject(new ClickHouseUnavailable('away')) };
  await expect(erase(away)).rejects.toThrow(ClickHouseUnavailable);
  expect(await open()).toHaveLength(1);
  expect(await rows(`select 1 from events where name = 'contacts.erased'`)).toEqual([]);
  expect(await erase()).toEqual({ contacts: 1, events: 0 });
  expect([await open(), await streamedOf(contactId)]).toEqual([[], 0]);
});

it('erases everything from Postgres while ClickHouse is away, and from ClickHouse when it is back', async () => {
  const away = connectClickHouse({
    url: 'http://127.0.0.1:9',
    username: 'default',
    password: '',
    database: 'shop',
  });
  const streamer = stage.stream();
  const contactId = await addContact('ada@example.com');
  await eventually(() => streamedOf(contactId), 1);
  await streamer.stop();
  await rows(
    `insert into contact_erasures (contact_id, project_id, erased_at)
     select gen_random_uuid(), $1, now() - interval '1 hour' from generate_series(1, 6000)`,
    stage.projectId,
  );
  await remove(contactId);
  await expect(erase(away)).rejects.toThrow(ClickHouseUnavailable);
  expect(await tracesIn(contactId)).toEqual({ events: 0, statistics: 0 });
  await expect(erase(away)).rejects.toThrow(ClickHouseUnavailable);
  expect([(await open()).length, await streamedOf(contactId)]).toEqual([6_001, 1]);
  stage.stream();
  expect(await erase()).toEqual({ contacts: 6_001, events: 0 });
  expect([await open(), await streamedOf(contactId)]).toEqual([[], 0]);
  await letPass('5 minutes');
  expect(await erase()).toEqual({ contacts: 0, events: 0 });
  expect(await rows('select 1 from contact_erasures')).toEqual([]);
  await away.close();
});

it('needs no ClickHouse if none is configured', async () => {
  const contactId = await addContact('ada@example.com');
  await remove(contactId);
  expect(await erase(withoutClickHouse())).toEqual({ contacts: 1, events: 1 });
  await letPass('5 minutes');
  expect(await erase(withoutClickHouse())).toEqual({ contacts: 0, events: 0 });
  expect(await rows('select 1 from contact_erasures')).toEqual([]);
});

it('waits for a ClickHouse that is no longer configured and still has the events', async () => {
  stage.stream();
  const contactId = await addContact('ada@example.com');
  await eventually(() => streamedOf(contactId), 1);
  await remove(contactId);
  await expect(erase(withoutClickHouse())).rejects.toThrow('none is configured any more');
  expect([await tracesIn(contactId), await open()]).toMatchObject([{ events: 0 }, [{}]]);
  expect(await erase()).toEqual({ contacts: 1, events: 0 });
  expect([await open(), await streamedOf(contactId)]).toEqual([[], 0]);
});

it('erases once more after five minutes, for an insert that was in progress in ClickHouse', async () => {
  stage.stream();
  const contactId = await addContact('ada@example.com');
  await remove(contactId);
  expect(await erase()).toMatchObject({ contacts: 1 });
  await stage.write([{ name: 'late', contactId }]);
  await eventually(() => streamedOf(contactId), 1);
  await letPass('4 minutes');
  expect(await erase()).toEqual({ contacts: 0, events: 0 });
  expect(await streamedOf(contactId)).toBe(1);
  await letPass('1 minute');
  expect(await erase()).toEqual({ contacts: 0, events: 1 });
  expect(await streamedOf(contactId)).toBe(0);
  expect(await rows('select 1 from contact_erasures')).toEqual([]);
});

it('waits for a stream that lags a few seconds', async () => {
  const contactId = await addContact('ada@example.com');
  await remove(contactId);
  const erasure = erase();
  await delay(7_000);
  stage.stream();
  expect(await erasure).toMatchObject({ contacts: 1 });
  expect([await open(), await streamedOf(contactId)]).toEqual([[], 0]);
});

it('erases many contacts of several projects', async () => {
  stage.stream();
  const others = Array.from({ length: 3 }, () => randomUUID());
  await rows(
    `insert into contact_erasures (contact_id, project_id)
     select gen_random_uuid(), p from unnest($1::uuid[]) p, generate_series(1, 2000)`,
    others,
  );
  expect(await erase()).toEqual({ contacts: 6_000, events: 0 });
  expect(await open()).toEqual([]);
});

it('a run that ends early has completed the projects before', async () => {
  stage.stream();
  await rows(
    `insert into contact_erasures (contact_id, project_id) select gen_random_uuid(), gen_random_uuid() from generate_series(1, 3)`,
  );
  let commands = 0;
  const ending: ClickHouse = {
    ...stage.clickhouse,
    command: async (...call) => {
      commands += 1;
      if (commands === 2) throw new ClickHouseUnavailable('gone');
      await stage.clickhouse.command(...call);
    },
  };
  await expect(erase(ending)).rejects.toThrow('gone');
  expect(await open()).toHaveLength(2);
  expect(await erase()).toEqual({ contacts: 2, events: 0 });
});

it('a run that ends early has completed a part of a project that deleted many', async () => {
  stage.stream();
  await rows(
    `insert into contact_erasures (contact_id, project_id) select gen_random_uuid(), $1 from generate_series(1, 1200)`,
    stage.projectId,
  );
  let batches = 0;
  const ending = lookingAt((parameters) => {
    if ('contactIds' in parameters) batches += 1;
    if (batches === 3) throw new ClickHouseUnavailable('gone');
  });
  await expect(erase(ending)).rejects.toThrow('gone');
  expect(await open()).toHaveLength(200);
  expect(await erase()).toEqual({ contacts: 200, events: 0 });
});

it('a run ends at its time, and has erased of each project in turn', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  stage.stream();
  await rows(
    `insert into contact_erasures (contact_id, project_id)
     select gen_random_uuid(), p from unnest(array(select gen_random_uuid() from generate_series(1, 2))) p, generate_series(1, 1100)`,
  );
  const slow = lookingAt((parameters) => {
    if ('contactIds' in parameters) vi.advanceTimersByTime(61_000);
  });
  expect(await erase(slow)).toEqual({ contacts: 1_500, events: 0 });
  const left = await rows(
    `select count(*)::int from contact_erasures where passed_at is null group by project_id order by 1`,
  );
  expect(left).toEqual([{ count: 100 }, { count: 600 }]);
  expect(await erase()).toEqual({ contacts: 700, events: 0 });
});

it('erases the few contacts of a project before the many of one whose deletion ClickHouse may not finish', async () => {
  stage.stream();
  const [many, few] = ['00000000-0000-7000-8000-000000000000', randomUUID()];
  await rows(
    `insert into contact_erasures (contact_id, project_id) select gen_random_uuid(), p from unnest($1::uuid[]) p`,
    [many, many, few],
  );
  const busy = lookingAt(({ projectId }) => {
    if (projectId === many) throw new ClickHouseUnavailable('No answer');
  });
  await expect(erase(busy)).rejects.toThrow('No answer');
  expect(await rows('select distinct project_id from contact_erasures where passed_at is null')).toEqual([
    { project_id: many },
  ]);
});

it('erases the contacts of other projects when ClickHouse takes too long for those of one', async () => {
  stage.stream();
  const large = '00000000-0000-7000-8000-000000000000';
  await rows(
    `insert into contact_erasures (contact_id, project_id)
     select gen_random_uuid(), p from unnest($1::uuid[] || array(select gen_random_uuid() from generate_series(1, 2))) p`,
    [large],
  );
  const slow = lookingAt(({ projectId }) => {
    if (projectId === large) throw new ClickHouseTimedOut('slow');
  });
  await expect(erase(slow)).rejects.toThrow('slow');
  expect(await rows('select project_id from contact_erasures where passed_at is null')).toEqual([
    { project_id: large },
  ]);
});

it('erases the contacts of other projects before those of projects that failed slowly in the run before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  stage.stream();
  const failing = [randomUUID(), randomUUID()];
  const other = randomUUID();
  await rows(
    `insert into contact_erasures (contact_id, project_id)
     select gen_random_uuid(), p from unnest($1::uuid[] || array[$2::uuid, $2::uuid]) p`,
    failing,
    other,
  );
  const slow = lookingAt(({ projectId }) => {
    if (!failing.some((id) => id === projectId)) return;
    vi.advanceTimersByTime(120_000);
    throw new ClickHouseTimedOut('slow');
  });
  const failedBefore = new Set<string>();
  const run = () => eraseDeletedContacts(em(), slow, new AbortController().signal, failedBefore);
  await expect(run()).rejects.toThrow('slow');
  expect(await open()).toHaveLength(4);
  await expect(run()).rejects.toThrow('slow');
  const left = await rows<{ projectId: string }>(
    'select project_id as "projectId" from contact_erasures where passed_at is null',
  );
  expect(left.map(({ projectId }) => projectId).toSorted()).toEqual(failing.toSorted());
});

it('erases many events of a contact in several transactions', async () => {
  const contactId = await addContact('ada@example.com');
  await rows(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at)
     select uuidv7(), $1, 'opened', 'tracked', $2, now() + make_interval(secs => n) from generate_series(1, 12000) n`,
    stage.projectId,
    contactId,
  );
  await remove(contactId);
  const busy = await stage.openSession();
  await busy.query('begin');
  await busy.query('select from events where contact_id = $1 order by occurred_at desc limit 1 for update', [
    contactId,
  ]);
  const erasure = eraseContactTraces(em(), stage.projectId, [contactId]);
  await eventually(
    () => tracesIn(contactId),
    ({ events }) => events > 0 && events <= 7_001,
  );
  await busy.query('commit');
  expect(await erasure).toBe(12_001);
  expect(await tracesIn(contactId)).toEqual({ events: 0, statistics: 0 });
});

it('projects take turns: the contact of one does not wait for the many that another deleted before', async () => {
  const [many, few] = [randomUUID(), randomUUID()];
  await rows(
    `insert into contact_erasures (contact_id, project_id, erased_at)
     select gen_random_uuid(), $1, now() - interval '1 hour' from generate_series(1, 300)`,
    many,
  );
  await rows('insert into contact_erasures (contact_id, project_id) values (gen_random_uuid(), $1)', few);
  const found = await findErasures(em(), 'postgres', new Date(), 100);
  const byProject = Map.groupBy(found, ({ projectId }) => projectId);
  expect([byProject.get(many)?.length, byProject.get(few)?.length]).toEqual([50, 1]);
});

it('erases the contacts of other projects when those of one cannot be erased', async () => {
  stage.stream();
  const [otherProject, otherContact] = [randomUUID(), randomUUID()];
  await rows(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at)
     values (uuidv7(), $1, 'opened', 'tracked', $2, now())`,
    otherProject,
    otherContact,
  );
  await rows(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
  await rows(
    `create trigger refuse before delete on events for each row
     when (old.project_id = '${otherProject}') execute function refuse()`,
  );
  const contactId = await addContact('ada@example.com');
  await eventually(() => streamedOf(contactId), 1);
  await rows(
    `insert into contact_erasures (contact_id, project_id, erased_at)
     select id, $2, now() - interval '1 hour'
     from unnest($1::uuid[] || array(select gen_random_uuid() from generate_series(1, 6000))) id`,
    [otherContact],
    otherProject,
  );
  await rows(
    `insert into contact_erasures (contact_id, project_id, erased_at)
     select gen_random_uuid(), $1, now() - interval '1 hour' from generate_series(1, 6000)`,
    stage.projectId,
  );
  await remove(contactId);
  await expect(erase()).rejects.toThrow('refused');
  expect([await tracesIn(contactId), await streamedOf(contactId)]).toEqual([{ events: 0, statistics: 0 }, 0]);
  const left = await rows('select distinct project_id from contact_erasures where passed_at is null');
  expect(left).toEqual([{ project_id: otherProject }]);
});
