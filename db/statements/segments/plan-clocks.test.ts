import { expect, it } from 'vitest';
import { insertContacts } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { forgetEventStatistics } from '../../../test/setup/forget-event-statistics.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { planClocks, planTouched } from './plan-clocks.ts';

const database = useTestDatabase();
const { em, sql } = database;
const day = 24 * 60 * 60 * 1000;

async function planInTurns(projectId: string): Promise<number> {
  let turns = 1;
  while (!(await planClocks(em(), projectId, null, undefined, 0)) && turns < 10) turns += 1;
  return turns;
}
const changesOf = (projectId: string) =>
  sql(
    `select count(*)::int as changes, count(distinct contact_ids[1])::int as contacts, count(distinct input)::int as inputs
     from segment_changes where project_id = $1 and input like 'clock.%'`,
    [projectId],
  );

it('a plan that runs out of time continues with the next contacts or clock, and plans each contact once', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 41_000);
  await sql(
    `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     select project_id, 'opened', id, 1, created_at, created_at, uuidv7() from contacts where project_id = $1`,
    [projectId],
  );
  const clocks = {
    'clock.created': { of: 'instant', field: 'createdAt', ms: day },
    'clock.opened': { of: 'event', name: 'opened', nth: 1, ms: day },
  };
  await sql(
    `insert into segment_inputs (project_id, input, clock, planned_until)
     select $1, key, value, now() from jsonb_each($2::jsonb)`,
    [projectId, JSON.stringify(clocks)],
  );
  await sql('delete from segment_changes where project_id = $1', [projectId]);
  expect(await planInTurns(projectId)).toBe(6);
  expect(await changesOf(projectId)).toEqual([{ changes: 82_000, contacts: 41_000, inputs: 2 }]);
  const [planned] = await sql(
    `select bool_and(planned_until > now() + interval '35 hours') as "isPlanned" from segment_inputs where project_id = $1`,
    [projectId],
  );
  expect(planned).toEqual({ isPlanned: true });
});

it('of contacts that were touched, plans those alone: by the latest event, the nth latest and the first, but not by what only the feed shows', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 2);
  const [touched] = await sql<{ id: string }>('select id from contacts where project_id = $1 limit 1', [
    projectId,
  ]);
  const hoursAgo = { first: 9, second: 5, third: 2, latest: 1 };
  await sql(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at)
     select uuidv7(make_interval(hours => -ago)), $1, 'email.received', case ago when 2 then 'activity' else 'emitted' end, c.id,
       date_trunc('minute', now()) - make_interval(hours => ago)
     from contacts c, unnest($2::int[]) ago where c.project_id = $1`,
    [projectId, [hoursAgo.second, hoursAgo.third, hoursAgo.latest]],
  );
  await sql(
    `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     select $1, 'email.received', id, 3, date_trunc('minute', now()) - make_interval(hours => $2),
       date_trunc('minute', now()) - make_interval(hours => $3), uuidv7()
     from contacts where project_id = $1`,
    [projectId, hoursAgo.first, hoursAgo.latest],
  );
  const received = { of: 'event', name: 'email.received', ms: day };
  const clocks = {
    'clock.created': { of: 'instant', field: 'createdAt', ms: day },
    'clock.latest': { ...received, nth: 1 },
    'clock.second': { ...received, nth: 2 },
    'clock.fifth': { ...received, nth: 5 },
  };
  await sql(
    `insert into segment_inputs (project_id, input, clock, planned_until)
     select $1, key, value, now() + interval '36 hours' from jsonb_each($2::jsonb)`,
    [projectId, JSON.stringify(clocks)],
  );
  await sql('delete from segment_changes where project_id = $1', [projectId]);
  const contacts = new Set([touched?.id ?? '']);
  await planTouched(em(), projectId, new Map([['contact', contacts]]), new Map());
  const planned = await sql(
    `select input, contact_ids as ids,
       24 - round(extract(epoch from uuid_extract_timestamp(id) - date_trunc('minute', now())) / 3600)::int as "hoursAgo"
     from segment_changes where project_id = $1 order by input, id`,
    [projectId],
  );
  const ids = [...contacts];
  expect(planned).toEqual([
    { input: 'clock.created', ids, hoursAgo: 0 },
    { input: 'clock.latest', ids, hoursAgo: hoursAgo.latest },
    { input: 'clock.second', ids, hoursAgo: hoursAgo.first },
    { input: 'clock.second', ids, hoursAgo: hoursAgo.second },
  ]);
});

it('reads the statistics of touched contacts alone, however few contacts of the event Postgres expects', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 3_000);
  await sql(
    `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     select project_id, 'ordered', id, 1, now(), now(), uuidv7() from contacts where project_id = $1`,
    [projectId],
  );
  await sql('analyze contact_event_stats');
  await forgetEventStatistics(sql);
  await sql(
    `insert into segment_inputs (project_id, input, clock, planned_until)
     values ($1, 'clock.ordered', $2, now() + interval '36 hours')`,
    [projectId, JSON.stringify({ of: 'event', name: 'ordered', nth: 1, ms: day })],
  );
  const ids = await sql<{ id: string }>('select id from contacts where project_id = $1 limit 10', [
    projectId,
  ]);
  const contacts = new Set(ids.map(({ id }) => id));
  const read = await rowsRead(em(), (inner) =>
    planTouched(inner, projectId, new Map([['contact', contacts]]), new Map()),
  );
  expect(read.get('contact_event_stats_pkey')).toBe(10);
  expect(await changesOf(projectId)).toEqual([{ changes: 10, contacts: 10, inputs: 1 }]);
});
