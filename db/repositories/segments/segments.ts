import type { SegmentNode } from '../../../core/segments/reference-graph.ts';
import type { SegmentRow, SegmentType } from '../../entities/segment.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

const columns = `id, project_id as "projectId", name, description, type, condition, filter_count as "filterCount",
  refers_to as "refersTo", slug, track_membership as "trackMembership", member_count as "memberCount",
  counted_at as "countedAt", computed_at as "computedAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** All segments of the project, newest first. */
export function listSegments(em: Em, projectId: string): Promise<SegmentRow[]> {
  return sql(em, `select ${columns} from segments where project_id = $1 order by created_at desc, id desc`, [
    projectId,
  ]);
}

export async function findSegment(em: Em, projectId: string, id: string): Promise<SegmentRow | undefined> {
  const [row] = await sql<SegmentRow>(
    em,
    `select ${columns} from segments where project_id = $1 and id = $2`,
    [projectId, id],
  );
  return row;
}

/** As `findSegment`; the row stays locked until the end of the transaction. */
export async function lockSegment(em: Em, projectId: string, id: string): Promise<SegmentRow | undefined> {
  const [row] = await sql<SegmentRow>(
    em,
    `select ${columns} from segments where project_id = $1 and id = $2 for no key update`,
    [projectId, id],
  );
  return row;
}

/**
 * Makes the transaction the only one that changes what refers to segments of the project. Whoever stores a reference
 * to a segment takes it before looking whether the segment is there, and whoever deletes one before looking who
 * refers to it.
 */
export async function lockSegmentReferences(em: Em, projectId: string): Promise<void> {
  await sql(em, `select pg_advisory_xact_lock(hashtextextended('segment references ' || $1, 0))`, [
    projectId,
  ]);
}

export interface StoredCondition extends SegmentNode {
  /** As it was sent; null for a static segment. */
  condition: Record<string, unknown> | null;
}

export interface NewSegment extends StoredCondition {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  type: SegmentType;
  slug: string;
  trackMembership: boolean;
}

/** @returns undefined when the project has a segment of this slug */
export async function insertSegment(em: Em, segment: NewSegment): Promise<SegmentRow | undefined> {
  const [row] = await sql<SegmentRow>(
    em,
    `insert into segments (id, project_id, name, description, type, condition, filter_count, refers_to, slug,
       track_membership)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8::uuid[], $9, $10)
     on conflict (project_id, slug) do nothing
     returning ${columns}`,
    [
      segment.id,
      segment.projectId,
      segment.name,
      segment.description,
      segment.type,
      segment.condition === null ? null : JSON.stringify(segment.condition),
      segment.filterCount,
      segment.refersTo,
      segment.slug,
      segment.trackMembership,
    ],
  );
  return row;
}

export interface SegmentChange {
  name: string | undefined;
  /** Null takes it away. */
  description: string | null | undefined;
  condition: StoredCondition | undefined;
  trackMembership: boolean | undefined;
}

/** Changes what is not undefined. @returns undefined when the project has no such segment */
export async function updateSegment(
  em: Em,
  projectId: string,
  id: string,
  { name, description, condition, trackMembership }: SegmentChange,
): Promise<SegmentRow | undefined> {
  const [row] = await sql<SegmentRow>(
    em,
    `update segments
     set name = coalesce($3, name),
       description = case when $4 then $5 else description end,
       condition = coalesce($6::jsonb, condition),
       filter_count = coalesce($7, filter_count),
       refers_to = coalesce($8::uuid[], refers_to),
       track_membership = coalesce($9, track_membership),
       updated_at = now()
     where project_id = $1 and id = $2
     returning ${columns}`,
    [
      projectId,
      id,
      name ?? null,
      description !== undefined,
      description ?? null,
      condition === undefined ? null : JSON.stringify(condition.condition),
      condition?.filterCount ?? null,
      condition?.refersTo ?? null,
      trackMembership ?? null,
    ],
  );
  return row;
}

/** Removes the segment and leaves its members, for `dropMembers`. @returns whether there was such a segment */
export async function deleteSegment(em: Em, projectId: string, id: string): Promise<boolean> {
  const rows = await sql(em, 'delete from segments where project_id = $1 and id = $2 returning 1', [
    projectId,
    id,
  ]);
  return rows.length > 0;
}

/** What every segment of the project refers to, by id. */
export async function readSegmentGraph(em: Em, projectId: string): Promise<Map<string, SegmentNode>> {
  const rows = await sql<SegmentNode & { id: string }>(
    em,
    'select id, filter_count as "filterCount", refers_to as "refersTo" from segments where project_id = $1',
    [projectId],
  );
  return new Map(rows.map(({ id, ...node }) => [id, node]));
}

/** Segments of the project whose conditions name this one. */
export function listReferringSegments(
  em: Em,
  projectId: string,
  id: string,
): Promise<{ id: string; name: string }[]> {
  return sql(
    em,
    'select id, name from segments where project_id = $1 and $2 = any(refers_to) order by created_at, id',
    [projectId, id],
  );
}
