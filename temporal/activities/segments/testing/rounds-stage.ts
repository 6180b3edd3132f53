import { beforeEach } from 'vitest';
import { newId } from '../../../../core/new-id.ts';
import { segmentAudience } from '../../../../db/conditions/audience.ts';
import type { Segment } from '../../../../db/entities/segment.ts';
import { bindInto } from '../../../../db/sql.ts';
import { trackEvents } from '../../../../db/statements/events/track-events.ts';
import { listStaleSegments } from '../../../../db/statements/segments/segment-turns.ts';
import { type TestDatabase, useTestDatabase } from '../../../../test/setup/database.ts';
import { trackInput } from '../../../../test/setup/inputs.ts';
import { insertSegment } from '../../../../test/setup/segments.ts';
import { computeTrackedSegment } from '../compute-tracked-segment.ts';
import { evaluateProject } from '../evaluate-project.ts';

let database: TestDatabase;
export let project: string;

/** Switches to a new project. */
export function changeProject(): void {
  project = newId();
}

export function useRoundsStage(): TestDatabase {
  const own = useTestDatabase();
  beforeEach(() => {
    database = own;
    changeProject();
  });
  return own;
}

export async function addSegment(name: string, condition: Record<string, unknown> | null, isTracked = true) {
  const text = JSON.stringify(condition);
  const refersTo = [...text.matchAll(/"segment\.([0-9a-f-]{36})"/g)].flatMap(([, id]) => id ?? []);
  return insertSegment(database.em(), {
    id: newId(),
    projectId: project,
    name,
    slug: name,
    type: condition === null ? 'STATIC' : 'DYNAMIC',
    condition,
    filterCount: 1,
    refersTo,
    trackMembership: isTracked,
  });
}

export const track = (email: string, rest: Parameters<typeof trackInput>[2] = {}) =>
  trackEvents(database.em(), [trackInput(project, email, rest)]);

/**
 * Computes a segment in full until it is current: a transaction of any database on the server that writes for ten seconds
 * keeps it from that.
 */
export async function computeFully(segmentId: string, em = database.em()): Promise<void> {
  while ((await computeTrackedSegment(em, { projectId: project, segmentId }, undefined, () => {}))?.isStale);
}

const listStale = async () =>
  (await listStaleSegments(database.em(), [], 1_000)).filter(({ projectId }) => projectId === project);

/** As the schedule does: computes the segments that are not current in full, once. */
export async function computeOnce(): Promise<void> {
  for (const stale of await listStale()) {
    await computeTrackedSegment(database.em(), stale, undefined, () => {});
  }
}

/** Computes the segments that are not current in full, until all are. */
export async function computeStale(): Promise<void> {
  for (const { segmentId } of await listStale()) await computeFully(segmentId);
}

export const round = () => evaluateProject(database.em(), project);

export async function changesLeft(): Promise<number> {
  return (await database.sql('select 1 from segment_changes where project_id = $1', [project])).length;
}

/** Emails of the stored members and of the contacts that match the condition now. */
export async function membersOf({ id }: Segment): Promise<{ stored: string[]; meeting: string[] }> {
  const audience = await segmentAudience(database.em(), project, id);
  const parameters: unknown[] = [project, id];
  const belongs = audience?.where(new Date(), bindInto(parameters)) ?? 'false';
  const rows = await database.sql<{ email: string; isMember: boolean; belongs: boolean }>(
    `select c.email, (${belongs}) is true as belongs,
       exists (select from segment_members m where m.segment_id = $2 and m.contact_id = c.id) as "isMember"
     from contacts c where c.project_id = $1 order by c.email`,
    parameters,
  );
  return {
    stored: rows.filter((row) => row.isMember).map((row) => row.email),
    meeting: rows.filter((row) => row.belongs).map((row) => row.email),
  };
}
