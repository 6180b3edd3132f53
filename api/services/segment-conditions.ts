import type { Condition, Filter, Predicate, WorkflowPredicate } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { DomainError, type FieldIssue } from '../../core/errors.ts';
import {
  findReferenceFault,
  maxExpandedFilters,
  maxSegmentDepth,
  segmentsLeadingTo,
} from '../../core/segments/reference-graph.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em } from '../../db/orm.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';

/** In characters of JSON; conditions are stored and returned as sent. */
const maxConditionLength = 128 * 1024;
const faultsInMessage = 10;

interface References {
  path: string;
  filterCount: number;
  /** One entry per filter, so ids may repeat. */
  refersTo: string[];
  references: { path: string; segmentId: string }[];
}

export interface ReadCondition extends References {
  condition: Record<string, unknown>;
  parsed: Condition;
}

function refusal(issues: FieldIssue[]): DomainError {
  const named = issues.slice(0, faultsInMessage).map(({ field, message }) => `${field}: ${message}`);
  const more = issues.length > faultsInMessage ? [`${issues.length - faultsInMessage} more`] : [];
  return new DomainError('BAD_REQUEST', [...named, ...more].join('; '), { issues });
}

/**
 * Parses a condition tree of a request.
 * @throws DomainError `BAD_REQUEST` with a path per fault in `issues`
 */
export function readCondition(raw: unknown, path: string): ReadCondition {
  const result = parseCondition(raw, path);
  if (!result.ok) throw refusal(result.issues);
  if (JSON.stringify(raw).length > maxConditionLength) {
    throw refusal([{ field: path, message: 'At most 128 KB of JSON are accepted', code: 'too_big' }]);
  }
  // as: only an object parses.
  const condition = raw as Record<string, unknown>;
  return { condition, parsed: result.condition, ...referencesAt(result.condition, path) };
}

/** The segments that a condition refers to; `path` is the condition's path in the request. */
export function referencesAt(condition: Condition<Predicate | WorkflowPredicate>, path: string): References {
  const filters = placedFilters(condition, path);
  const references = filters.flatMap(({ path: at, filter: { predicate } }) =>
    predicate.subject === 'segment' ? [{ path: `${at}.field`, segmentId: predicate.id }] : [],
  );
  const refersTo = references.map(({ segmentId }) => segmentId);
  return { path, filterCount: filters.length, refersTo, references };
}

function placedFilters<P>({ groups }: Condition<P>, path: string): { path: string; filter: Filter<P> }[] {
  return groups.flatMap(({ filters, conditions }, group) => {
    const at = `${path}.groups.${group}`;
    const own = filters.map((filter, index) => ({ path: `${at}.filters.${index}`, filter }));
    return conditions ? [...own, ...placedFilters(conditions, `${at}.conditions`)] : own;
  });
}

/**
 * Checks the segments that a condition refers to: they must belong to the project and not lead back to `ownId`, and
 * the expanded query must stay within `maxSegmentDepth` and `maxExpandedFilters`, also for segments that refer to
 * this one. Locks the project's segment references until the transaction ends.
 * @param ownId the segment, campaign or workflow that has the condition
 * @throws DomainError `BAD_REQUEST` with the faulty filters in `issues`
 */
export async function checkReferences(
  em: Em,
  projectId: string,
  ownId: string,
  condition: Omit<ReadCondition, 'parsed'>,
): Promise<void> {
  await lockSegmentReferences(em, projectId);
  const graph = await em.getRepository(Segment).readGraph();
  const unknown = condition.references.filter(({ segmentId }) => !graph.has(segmentId));
  if (unknown.length > 0) throw refusal(issuesAt(unknown, 'Unknown segment', 'invalid_value'));

  graph.set(ownId, condition);
  const leading = segmentsLeadingTo(graph, [ownId]);
  const fault = findReferenceFault(graph, leading);
  if (fault === undefined) return;
  if (fault === 'cycle') {
    const inRing = condition.references.filter(({ segmentId }) => leading.has(segmentId));
    throw refusal(issuesAt(inRing, 'The segment would depend on itself', 'segment_cycle'));
  }
  const message =
    fault === 'too-deep'
      ? `At most ${maxSegmentDepth} segments may refer to each other in a row`
      : `At most ${maxExpandedFilters} filters are accepted, those of the segments referred to included`;
  throw refusal([{ field: condition.path, message, code: 'too_big' }]);
}

function issuesAt(references: ReadCondition['references'], message: string, code: string): FieldIssue[] {
  return references.map(({ path, segmentId }) => ({
    field: path,
    message,
    code,
    received: `segment.${segmentId}`,
  }));
}
