import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { sampleEventData } from './sample-event-data.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

it('reads a few events of each name, and none of other names', async () => {
  await sql(
    `insert into events (id, project_id, name, kind, contact_id, occurred_at, data)
     select uuidv7(), $1, 'visited', 'tracked', uuidv7(), now(), '{"page": "/"}' from generate_series(1, 20000)`,
    [project.id],
  );
  await sql('analyze events');
  for (const name of ['visited', 'never tracked']) {
    await sql('insert into workflows (id, project_id, name, event_name) values ($1, $2, $3, $3)', [
      newId(),
      project.id,
      name,
    ]);
  }
  const read = await rowsRead(em(), async (run) => {
    expect(await sampleEventData(run, project.id)).toEqual([{ key: 'page', value: '/' }]);
  });
  const ofEvents = [...read].filter(([table]) => table.startsWith('events_'));
  expect(ofEvents.reduce((sum, [, rows]) => sum + rows, 0)).toBeLessThanOrEqual(50);
});
