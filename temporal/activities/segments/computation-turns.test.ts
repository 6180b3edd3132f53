import { expect, it } from 'vitest';
import { allProjects } from '../../../db/entities/project-em.ts';
import { Segment } from '../../../db/entities/segment.ts';
import { listStaleSegments } from '../../../db/statements/segments/segment-turns.ts';
import { insertContacts } from '../../../test/setup/campaigns.ts';
import { planIs, where } from '../../../test/setup/segments.ts';
import { computeTrackedSegment } from './compute-tracked-segment.ts';
import { addSegment, changeProject, membersOf, project, useRoundsStage } from './testing/rounds-stage.ts';

const { em, sql } = useRoundsStage();

const everyone = where({ field: 'data.n', operator: 'exists' });

/** A turn that is over after its first batch of 50 contacts. @returns whether the segment has to be computed on */
async function takeTurn(segment: Segment): Promise<boolean> {
  const { projectId, id: segmentId } = segment;
  for (;;) {
    const turn = await computeTrackedSegment(
      em(),
      { projectId, segmentId },
      undefined,
      () => {},
      undefined,
      0,
    );
    // A transaction of another test has been writing for ten seconds.
    if (!turn?.isStale) return turn?.isUnfinished === true;
  }
}

const waiting = async (...segments: Segment[]) => {
  const ids = segments.map(({ id }) => id);
  const listed = await listStaleSegments(em(), [], 1_000);
  return listed.map(({ segmentId }) => segmentId).filter((id) => ids.includes(id));
};

const entries = async ({ id }: Segment) =>
  (
    await sql<{ count: number }>(
      `select count(*)::int as count from events where name like 'segment.%.entry' and data ->> 'segmentId' = $1`,
      [id],
    )
  )[0]?.count;

it('a segment whose computation takes long makes room for those of other projects, and goes on where it stopped', async () => {
  await insertContacts(em(), project, 400);
  const large = await addSegment('large', everyone);
  changeProject();
  await insertContacts(em(), project, 10);
  const small = await addSegment('small', everyone);

  expect(await waiting(large, small)).toEqual([large.id, small.id]);
  expect(await takeTurn(large)).toBe(true);
  expect(await waiting(large, small)).toEqual([small.id, large.id]);
  expect(await takeTurn(small)).toBe(false);
  expect(await waiting(large, small)).toEqual([large.id]);

  let turns = 1;
  while (await takeTurn(large)) turns += 1;
  expect(turns).toBeGreaterThan(1);
  expect(await waiting(large, small)).toEqual([]);
  const stored = await em().findOneOrFail(Segment, large.id, allProjects);
  expect([stored.memberCount, await entries(large)]).toEqual([400, 400]);
});

it('a segment that is edited between two turns is computed from the start', async () => {
  await insertContacts(em(), project, 200);
  const segment = await addSegment('edited', everyone);
  expect(await takeTurn(segment)).toBe(true);
  await sql('update segments set condition = $2::jsonb where id = $1', [
    segment.id,
    JSON.stringify(planIs('pro')),
  ]);
  while (await takeTurn(segment));
  expect((await membersOf(segment)).stored).toEqual([]);
});
