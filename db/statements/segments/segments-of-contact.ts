import { z } from 'zod';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { contactColumnsSql, readDataOften } from '../../conditions/read-data-once.ts';
import { loadSegmentDefinitions, membershipSql } from '../../conditions/segment-definitions.ts';
import type { Em } from '../../orm.ts';
import { readClock } from '../../read-clock.ts';
import { bindInto } from '../../sql.ts';

const idsSchema = z.object({ ids: z.array(z.uuid()) });

/** Those of the given segments that the contact is in right now, in any order. */
export async function segmentsOfContact(
  em: Em,
  projectId: string,
  contactId: string,
  segmentIds: readonly string[],
): Promise<string[]> {
  const definitions = await loadSegmentDefinitions(em, projectId, segmentIds);
  const now = await readClock(em);
  const parameters: unknown[] = [projectId, contactId, segmentIds];
  const bind = bindInto(parameters);
  const tests = segmentIds.map((id) =>
    membershipSql(definitions, id, { projectId, now, reach: 'given' }, bind),
  );
  const ids = tests.map((test, index) => `case when ${test} then ($3::uuid[])[${index + 1}] end`);
  const sql = `select array_remove(array[${ids.join(',')}]::uuid[], null)::text[] as ids
    from (
      select ${readDataOften(tests) ? contactColumnsSql : '*'}
      from contacts c where c.project_id = $1 and c.id = $2 offset 0
    ) c`;
  const [row] = await audienceQuery(em, 'given', idsSchema, sql, parameters);
  return row?.ids ?? [];
}
