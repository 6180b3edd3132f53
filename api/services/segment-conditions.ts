import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { DomainError, type FieldIssue } from '../../core/errors.ts';
import {
  findReferenceFault,
  maxExpandedFilters,
  maxSegmentDepth,
  segmentsLeadingTo,
} from '../../core/segments/reference-graph.ts';
import { placedFilters } from '../../core/segments/segment-filters.ts';
import type { Em } from '../../db/orm.ts';
import {
  lockSegmentReferences,
  readSegmentGraph,
  type StoredCondition,
} from '../../db/repositories/segments/segments.ts';

/** Characters of the JSON text of a condition, which is kept and answered as it was sent. */
const maxConditionLength = 128 * 1024;
/** Faults that the one-line message of a refusal names. */
const faultsInMessage = 10;

/** A condition whose form is right. */
export interface ReadCondition extends StoredCondition {
  /** The normal form. */
  parsed: Condition;
  /** Where it stands in the request. */
  path: string;
  /** The filters that name a segment. */
  references: { path: string; segmentId: string }[];
}

function refusal(issues: FieldIssue[]): DomainError {
  const named = issues.slice(0, faultsInMessage).map(({ field, message }) => `${field}: ${message}`);
  const more = issues.length > faultsInMessage ? [`${issues.length - faultsInMessage} more`] : [];
  return new DomainError('BAD_REQUEST', [...named, ...more].join('; '), { issues });
}

/**
 * Checks the form of a condition tree of a request.
 * @throws DomainError `BAD_REQUEST` whose `issues` name the path of everything that is wrong
 */
export function readCondition(raw: unknown, path: string): ReadCondition {
  const result = parseCondition(raw, path);
  if (!result.ok) throw refusal(result.issues);
  if (JSON.stringify(raw).length > maxConditionLength) {
    throw refusal([{ field: path, message: 'At most 128 KB of JSON are accepted', code: 'too_big' }]);
  }
  const filters = placedFilters(result.condition, path);
  const references = filters.flatMap(({ path: at, filter: { predicate } }) =>
    predicate.subject === 'segment' ? [{ path: `${at}.field`, segmentId: predicate.id }] : [],
  );
  return {
    // as: only an object parses.
    condition: raw as Record<string, unknown>,
    filterCount: filters.length,
    refersTo: references.map(({ segmentId }) => segmentId),
    parsed: result.condition,
    path,
    references,
  };
}

/**
 * Checks what a condition refers to: every segment has to be one of the project, none may lead back to `ownId`, and
 * what is written out in a query stays within `maxSegmentDepth` and `maxExpandedFilters`, also for the segments that
 * refer to this one. Until the end of the transaction nobody else changes what refers to segments of the project.
 *
 * @param ownId of the segment that the condition belongs to
 * @throws DomainError `BAD_REQUEST` whose `issues` name the filters that are wrong
 */
export async function checkReferences(
  em: Em,
  projectId: string,
  ownId: string,
  condition: Omit<ReadCondition, 'parsed'>,
): Promise<void> {
  await lockSegmentReferences(em, projectId);
  const graph = await readSegmentGraph(em, projectId);
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
