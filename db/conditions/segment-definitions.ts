import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import type { SegmentType } from '../entities/segment.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import type { Bind } from './bind.ts';
import { type CompileOptions, conditionSql } from './compile.ts';

/** Segments of one project by id, with every segment that they refer to, however far: null for static ones. */
export type SegmentDefinitions = ReadonlyMap<string, Condition | null>;

/** Reads segments and all that they refer to by one statement. Ids of other projects are left out. */
export async function loadSegmentDefinitions(
  em: Em,
  projectId: string,
  segmentIds: Iterable<string>,
): Promise<SegmentDefinitions> {
  const ids = [...segmentIds];
  if (ids.length === 0) return new Map();
  const rows = await sql<{ id: string; type: SegmentType; condition: unknown }>(
    em,
    `with recursive needed (id) as (
       select unnest($2::uuid[])
       union
       select unnest(s.refers_to) from needed n join segments s on s.id = n.id where s.project_id = $1
     )
     select s.id, s.type, s.condition from needed n join segments s on s.id = n.id where s.project_id = $1`,
    [projectId, ids],
  );
  return new Map(
    rows.map(({ id, type, condition }) => [id, type === 'STATIC' ? null : storedCondition(id, condition)]),
  );
}

/** @throws Error for what was never accepted */
function storedCondition(segmentId: string, stored: unknown): Condition {
  const parsed = parseCondition(stored);
  if (parsed.ok) return parsed.condition;
  throw new Error(`The condition of segment ${segmentId} does not parse: ${JSON.stringify(parsed.issues)}`);
}

/**
 * Whether the contact `c` is a member of a segment: of a static one by its rows, of a dynamic one by its condition,
 * written out here and so live. Nobody is a member of a segment that is not there.
 */
export function membershipSql(
  definitions: SegmentDefinitions,
  segmentId: string,
  asked: Pick<CompileOptions, 'projectId' | 'now' | 'reach'>,
  bind: Bind,
): string {
  const condition = definitions.get(segmentId);
  if (condition === undefined) return 'false';
  if (condition === null) {
    return `exists (select from segment_members m where m.segment_id = ${bind(segmentId)}::uuid and m.contact_id = c.id)`;
  }
  const segmentMembership = (id: string) => membershipSql(definitions, id, asked, bind);
  return conditionSql(condition, { ...asked, segmentMembership }, bind);
}
