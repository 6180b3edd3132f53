import type { Condition } from '../../core/conditions/condition.ts';
import { conditionReferences } from '../../core/conditions/references.ts';
import type { Em } from '../orm.ts';
import type { Bind } from '../sql.ts';
import type { Reach } from './audience-query.ts';
import { readDataOnce } from './read-data-once.ts';
import { loadSegmentDefinitions, membershipTests, testsOf } from './segment-definitions.ts';

export interface Audience {
  /**
   * SQL over `contacts c`: true for contacts in the audience, otherwise false or null. The enclosing statement must
   * restrict `c` to the project.
   *
   * @param now reference for `within` and `olderThan`
   * @param bind adds a parameter to the statement (`bindInto`)
   * @param reach `few` by default
   */
  where(now: Date, bind: Bind, reach?: Reach): string;
}

export async function segmentAudience(
  em: Em,
  projectId: string,
  segmentId: string,
): Promise<Audience | undefined> {
  const definitions = await loadSegmentDefinitions(em, projectId, [segmentId]);
  if (!definitions.has(segmentId)) return undefined;
  return {
    where: (now, bind, reach) =>
      readDataOnce(membershipTests(definitions, segmentId, { projectId, now, reach }, bind)),
  };
}

export async function conditionAudience(em: Em, projectId: string, condition: Condition): Promise<Audience> {
  const definitions = await loadSegmentDefinitions(em, projectId, conditionReferences(condition).segments);
  return {
    where: (now, bind, reach) =>
      readDataOnce(testsOf(definitions, condition, { projectId, now, reach }, bind)),
  };
}
