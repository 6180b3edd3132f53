import type { Condition } from '../../core/conditions/condition.ts';
import { conditionReferences } from '../../core/conditions/references.ts';
import type { Em } from '../orm.ts';
import type { Reach } from './audience-statement.ts';
import type { Bind } from './bind.ts';
import { conditionSql } from './compile.ts';
import { loadSegmentDefinitions, membershipSql } from './segment-definitions.ts';

/** Contacts of one project, in a form that any statement can ask for. */
export interface Audience {
  /**
   * SQL over `contacts c`, true exactly for those that belong to it; false or null for the others. The statement
   * around it restricts `c` to the project.
   *
   * @param now the instant that `within` and `olderThan` count from
   * @param bind keeps the parameters of the statement (`bindInto`)
   * @param reach how many contacts the statement asks, `few` by default
   */
  where(now: Date, bind: Bind, reach?: Reach): string;
}

/** The members of a segment; undefined when the project has no such segment. */
export async function segmentAudience(
  em: Em,
  projectId: string,
  segmentId: string,
): Promise<Audience | undefined> {
  const definitions = await loadSegmentDefinitions(em, projectId, [segmentId]);
  if (!definitions.has(segmentId)) return undefined;
  return {
    where: (now, bind, reach) => membershipSql(definitions, segmentId, { projectId, now, reach }, bind),
  };
}

/** Those who meet a condition; its segments are looked up in the project. */
export async function conditionAudience(em: Em, projectId: string, condition: Condition): Promise<Audience> {
  const definitions = await loadSegmentDefinitions(em, projectId, conditionReferences(condition).segments);
  return {
    where: (now, bind, reach) => {
      const asked = { projectId, now, reach };
      const segmentMembership = (id: string) => membershipSql(definitions, id, asked, bind);
      return conditionSql(condition, { ...asked, segmentMembership }, bind);
    },
  };
}
