import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createRecordedNames, type RecordedNames } from './recorded-names.ts';
import { createTrackService } from './track.ts';

const database = useTestDatabase();
const { sql } = database;
let writes: number;
let service: ReturnType<typeof createTrackService>;
beforeEach(() => {
  const names = createRecordedNames(database.orm, { isConnected: true, onProjectChange: () => {} });
  writes = 0;
  const counting: RecordedNames = {
    ...names,
    write: (inputs, run) => {
      writes += 1;
      return names.write(inputs, run);
    },
  };
  service = createTrackService(counting, () => {});
});

const email = 'ada@example.com';
const track = (projectId: string, event: string) =>
  service.track(projectId, { email, event }).then(
    () => 'accepted',
    (error: { issues?: { code: string }[] }) => error.issues?.[0]?.code,
  );
const fill = (projectId: string, count: number) =>
  sql(
    `insert into event_names (project_id, name) select $1, 'name ' || n from generate_series(1, $2::int) n`,
    [projectId, count],
  );

it('refuses new names before they join the calls of others, until something is deleted', async () => {
  const [full, other] = [randomUUID(), randomUUID()];
  await fill(full, 10_000);
  expect(await track(full, 'new')).toBe('limit_reached');
  writes = 0;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => track(full, `new ${n}`)));
  expect(new Set(answers)).toEqual(new Set(['limit_reached']));
  expect(writes).toBe(0);
  expect(await track(full, 'name 7')).toBe('accepted');
  expect(await track(other, 'new')).toBe('accepted');
  await sql(`delete from event_names where project_id = $1 and name = 'name 8'`, [full]);
  expect(await track(full, 'new')).toBe('accepted');
  expect(await track(full, 'newer')).toBe('limit_reached');
});

it('splits a batch with one name too many', async () => {
  const [full, other] = [randomUUID(), randomUUID()];
  await fill(full, 10_000);
  const answers = await Promise.all([track(other, 'one'), track(full, 'new'), track(full, 'name 1')]);
  expect(answers).toEqual(['accepted', 'limit_reached', 'accepted']);
});

it('records no more names than the limit allows, however many calls run concurrently', async () => {
  const project = randomUUID();
  await fill(project, 9_990);
  const add = (n: number) =>
    sql(
      `insert into event_names (project_id, name) select $1, 'new ' || $2::int || ' ' || k from generate_series(1, 3) k`,
      [project, n],
    );
  const results = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => add(n)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

it('a project that already has more keeps them', async () => {
  const project = randomUUID();
  await sql('alter table event_names disable trigger event_names_limit');
  await fill(project, 10_100);
  await sql('alter table event_names enable trigger event_names_limit');
  expect(await track(project, 'name 10050')).toBe('accepted');
  expect(await track(project, 'new')).toBe('limit_reached');
});
