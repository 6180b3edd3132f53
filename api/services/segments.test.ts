import { expect, it } from 'vitest';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { useProject } from '../../test/setup/projects.ts';
import { untilBlocking } from '../../test/setup/until-blocking.ts';
import { createProjectPlaces } from './project-places.ts';
import { createSegmentsService } from './segments.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);

it('is the last of a project, however many are created at once', async () => {
  await sql(
    `insert into segments (id, project_id, name, slug, type)
     select uuidv7(), $1, 'Clients', 'clients-' || n, 'STATIC' from generate_series(1, 1999) n`,
    [project.id],
  );
  const segments = createSegmentsService(database.orm, createProjectPlaces(0), createProjectPlaces(0));
  const create = () => segments.create(project.id, { name: 'VIP', type: 'STATIC', trackMembership: false });
  let creating: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await em().transactional(async (holder) => {
    await lockSegmentReferences(holder, project.id);
    creating = Promise.allSettled([create(), create()]);
    await Promise.race([untilBlocking(holder), creating]);
  });
  const outcomes = (await creating)?.map((one) => (one.status === 'rejected' ? one.reason.code : 'saved'));
  expect(outcomes?.toSorted()).toEqual(['CONFLICT', 'saved']);
  const [count] = await sql('select count(*)::int from segments where project_id = $1', [project.id]);
  expect(count).toEqual({ count: 2_000 });
});
