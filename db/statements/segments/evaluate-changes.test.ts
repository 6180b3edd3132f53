import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { evaluateChanges } from './evaluate-changes.ts';

const { em, sql } = useTestDatabase();

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
