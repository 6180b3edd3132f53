import { z } from 'zod';
import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { segmentTypes } from '../../core/segments/segment-types.ts';
import type { Em } from '../orm.ts';
import { type Bind, query } from '../sql.ts';
import { endOfExists } from './audience-query.ts';
import { type CompileOptions, conditionTests } from './compile.ts';

/** Conditions by segment id, including all referenced segments; null for static segments. */
export type SegmentDefinitions = ReadonlyMap<string, Condition | null>;

const definitionRow = z.object({ id: z.uuid(), type: z.enum(segmentTypes), condition: z.unknown() });

/** Loads segments and, recursively, the segments they refer to, in one statement. Ids of other projects are skipped. */
export async function loadSegmentDefinitions(
  em: Em,
  projectId: string,
  segmentIds: Iterable<string>,
): Promise<SegmentDefinitions> {
  const ids = [...segmentIds];
  if (ids.length === 0) return new Map();
  const sql = `with recursive needed (id) as (
       select unnest($2::uuid[])
       union
       select unnest(s.refers_to) from needed n join segments s on s.id = n.id where s.project_id = $1
     )
     select s.id, s.type, s.condition from needed n join segments s on s.id = n.id where s.project_id = $1`;
  const rows = await query(em, definitionRow, sql, [projectId, ids]);
  return new Map(
    rows.map(({ id, type, condition }) => [id, type === 'STATIC' ? null : storedCondition(id, condition)]),
  );
}

function storedCondition(segmentId: string, stored: unknown): Condition {
  const parsed = parseCondition(stored);
  if (parsed.ok) return parsed.condition;
  throw new Error(`The condition of segment ${segmentId} does not parse: ${JSON.stringify(parsed.issues)}`);
}

type Asked = Pick<CompileOptions, 'projectId' | 'now' | 'reach'>;

/**
 * Whether the contact `c` is in a segment, as tests that must all hold. A static segment is decided by its rows; the
 * condition of a dynamic one is inlined, so the answer is always current. False for an unknown segment.
 */
export function membershipTests(
  definitions: SegmentDefinitions,
  segmentId: string,
  asked: Asked,
  bind: Bind,
): string[] {
  const condition = definitions.get(segmentId);
  if (condition === undefined) return ['false'];
  if (condition !== null) return testsOf(definitions, condition, asked, bind);
  return [
    `exists (select from segment_members m
      where m.segment_id = ${bind(segmentId)}::uuid and m.contact_id = c.id${endOfExists(asked.reach)})`,
  ];
}

export function membershipSql(...parameters: Parameters<typeof membershipTests>): string {
  return `(${membershipTests(...parameters).join(' and ')})`;
}

/** The tests of a condition that may refer to these segments. */
export function testsOf(
  definitions: SegmentDefinitions,
  condition: Condition,
  asked: Asked,
  bind: Bind,
): string[] {
  const segmentMembership = (id: string) => membershipSql(definitions, id, asked, bind);
  return conditionTests(condition, { ...asked, segmentMembership }, bind);
}
