import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertSegment, planIs } from '../../../test/setup/segments.ts';
import { useSlowClock } from '../../../test/setup/slow-clock.ts';
import { evaluateChanges } from './evaluate-changes.ts';

const { em, sql } = useTestDatabase();

/** A tracked segment, or several, that a thousand contacts of an import are about to enter. */
async function importThousand(segments = 1, filterCount = 1) {
  const projectId = newId();
  const ids = Array.from({ length: segments }, newId);
  const [id] = ids;
  for (const segmentId of ids) {
    const text = { name: 'A', description: null, slug: segmentId, trackMembership: true, isCurrent: true };
    const condition = { type: 'DYNAMIC', condition: planIs('pro'), filterCount } as const;
    await insertSegment(em(), { id: segmentId, projectId, ...text, ...condition, inputs: ['data.plan'] });
  }
  await sql(`insert into segment_inputs (project_id, input) values ($1, 'data.plan')`, [projectId]);
  await sql(
    `with contact as (
       insert into contacts (id, project_id, email, data)
       select uuidv7(), $1, n || '@example.com', '{"plan": "pro"}' from generate_series(1, 1000) n
       returning id
     )
     insert into segment_changes (project_id, id, input, contact_ids)
     select $1, uuidv7(interval '-1 second'), 'data.plan', array_agg(id) from contact`,
    [projectId],
  );
  const entered = () =>
    sql<{ contacts: number }>(
      `select count(*)::int as contacts from segment_members where segment_id = $1 group by xmin::text::bigint
       order by xmin::text::bigint`,
      [id],
    );
  return { projectId, entered };
}

it('a call evaluates all changes, be they of single contacts or of a thousand each', async () => {
  const projectId = newId();
  const insert = (changes: number, contacts: number) =>
    sql(
      `insert into segment_changes (project_id, id, input, contact_ids)
       select $1, uuidv7(interval '-1 second'), 'contact', array(select uuidv7() from generate_series(1, $3::int) where n > 0)
       from generate_series(1, $2::int) n`,
      [projectId, changes, contacts],
    );
  await insert(450, 1);
  await insert(6, 1_000);
  await insert(450, 1);
  expect(await evaluateChanges(em(), projectId, 60_000)).toMatchObject({ changes: 6_900, hasMore: false });
  expect(await sql('select from segment_changes where project_id = $1', [projectId])).toEqual([]);
});

it('the contacts of one change are evaluated in several transactions', async () => {
  const { projectId, entered } = await importThousand();
  expect(await evaluateChanges(em(), projectId, 60_000)).toMatchObject({ added: 1_000, hasMore: false });
  const sizes = (await entered()).map(({ contacts }) => contacts);
  expect(sizes[0]).toBe(50);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000);
  expect(await sql('select from segment_changes where project_id = $1', [projectId])).toEqual([]);
});

it('a turn begins with as many contacts as the statements of the one before had time for', async () => {
  const { projectId, entered } = await importThousand();
  useSlowClock();
  expect(await evaluateChanges(em(), projectId, 0)).toMatchObject({ changes: 50, hasMore: true });
  expect(await evaluateChanges(em(), projectId, 0)).toMatchObject({ changes: 10, hasMore: true });
  expect(await entered()).toEqual([{ contacts: 50 }, { contacts: 10 }]);
});

it('a turn takes fewer contacts if the project has so many segments that its statements take long together', async () => {
  // Each segment has a statement of its own.
  const { projectId, entered } = await importThousand(15, 500);
  useSlowClock(900);
  expect(await evaluateChanges(em(), projectId, 0)).toMatchObject({ changes: 50, hasMore: true });
  const { changes } = await evaluateChanges(em(), projectId, 0);
  expect(changes).toBeLessThan(50);
  expect(await entered()).toEqual([{ contacts: 50 }, { contacts: changes }]);
});

it('two turns at once evaluate each contact', async () => {
  const { projectId, entered } = await importThousand();
  await Promise.all([evaluateChanges(em(), projectId, 0), evaluateChanges(em(), projectId, 60_000)]);
  await evaluateChanges(em(), projectId, 60_000);
  const sizes = (await entered()).map(({ contacts }) => contacts);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000);
  expect(await sql('select from segment_changes where project_id = $1', [projectId])).toEqual([]);
});

it('a turn ends when a statement takes too long, and the next one begins with fewer contacts', async () => {
  const { projectId, entered } = await importThousand();
  const turn = () => evaluateChanges(em(), projectId, 0, undefined, 60_000, 1);
  expect(await turn()).toEqual({ changes: 0, added: 0, removed: 0, failed: 0, hasMore: true });
  expect(await turn()).toMatchObject({ changes: 10, added: 10, failed: 0, hasMore: true });
  expect(await entered()).toEqual([{ contacts: 10 }]);
});
