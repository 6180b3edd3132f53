import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { listKeptEvents } from './list-kept-events.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);
const name = 'visited';

/** Each of another contact, unless one is given. */
const insert = (count: number, contactId?: string | null, eventName = name) =>
  sql<{ id: string }>(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at)
     select uuidv7(), $1, $2, 'tracked', case when $5 then $4::uuid else uuidv7() end, '2026-01-01'
     from generate_series(1, $3) returning id`,
    [project.id, eventName, count, contactId ?? null, contactId !== undefined],
  );

it('reads only events of the name, even where the statistics count those that were deleted', async () => {
  await insert(20_000, undefined, 'another');
  await insert(2_000);
  await sql('analyze events');
  await sql('delete from events where project_id = $1 and name = $2', [project.id, name]);
  const kept = [...(await insert(3, newId())), ...(await insert(4, newId())), ...(await insert(5, null))];
  const before = new Date(Date.now() + 60_000);
  const late = await sql<{ id: string }>(
    `insert into events (id, project_id, name, kind, occurred_at)
     values (uuidv7(interval '1 hour'), $1, $2, 'tracked', now()) returning id`,
    [project.id, name],
  );
  const found: string[] = [];
  const read = await rowsRead(em(), async (run) => {
    for await (const page of listKeptEvents(run, { projectId: project.id, name, before }, 2)) {
      expect(page.length).toBeLessThanOrEqual(2);
      found.push(...page.map(({ eventId }) => eventId));
    }
  });
  expect(found.toSorted()).toEqual(kept.map(({ id }) => id).toSorted());
  expect(found).not.toContain(late[0]?.id);
  const ofEvents = [...read].filter(([table]) => table.startsWith('events_'));
  // The index entries of the deleted ones, but none of the others.
  expect(ofEvents.reduce((sum, [, rows]) => sum + rows, 0)).toBeLessThan(5_000);
});
