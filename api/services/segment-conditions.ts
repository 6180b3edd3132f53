import { unsentStatuses } from '../../core/campaign-state.ts';
import type { Condition, Filter, Predicate, WorkflowPredicate } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { conditionReferences } from '../../core/conditions/references.ts';
import { DomainError, type FieldIssue } from '../../core/errors.ts';
import {
  findReferenceFault,
  maxExpandedFilters,
  maxSegmentDepth,
  type SegmentNode,
  segmentsLeadingTo,
  segmentsReachedFrom,
} from '../../core/segments/reference-graph.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em } from '../../db/orm.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';

/** In characters of JSON; conditions are stored and returned as sent. */
const maxConditionLength = 128 * 1024;
const faultsInMessage = 10;

interface References {
  path: string;
  filterCount: number;
  /** Ids of segments, one entry per filter, so they may repeat. */
  refersTo: string[];
  references: { path: string; subject: 'segment' | 'campaign'; id: string }[];
}

type AudienceSegments = Pick<Campaign, 'segmentId' | 'audienceCondition'>;

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

/** The segments and campaigns that a condition refers to; `path` is the condition's path in the request. */
export function referencesAt(condition: Condition<Predicate | WorkflowPredicate>, path: string): References {
  const filters = placedFilters(condition, path);
  const references = filters.flatMap(({ path: at, filter: { predicate } }) =>
    predicate.subject === 'segment' || predicate.subject === 'campaign'
      ? [{ path: `${at}.field`, subject: predicate.subject, id: predicate.id }]
      : [],
  );
  const refersTo = references.flatMap(({ subject, id }) => (subject === 'segment' ? [id] : []));
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
 * Checks the segments and campaigns that a condition refers to: they must belong to the project and not be or lead back to
 * `ownId`, and the expanded query must stay within `maxSegmentDepth` and `maxExpandedFilters`, also for segments that refer to
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
  const unknown = condition.references.filter(({ subject, id }) => subject === 'segment' && !graph.has(id));
  if (unknown.length > 0) throw refusal(issuesAt(unknown, 'Unknown segment', 'invalid_value'));

  graph.set(ownId, condition);
  const leading = segmentsLeadingTo(graph, [ownId]);
  const fault = findReferenceFault(graph, leading);
  if (fault === undefined) return checkCampaigns(em, ownId, condition, graph, leading);
  if (fault === 'cycle') {
    const inRing = condition.references.filter(({ id }) => leading.has(id));
    throw refusal(issuesAt(inRing, 'The segment would depend on itself', 'segment_cycle'));
  }
  const message =
    fault === 'too-deep'
      ? `At most ${maxSegmentDepth} segments may refer to each other in a row`
      : `At most ${maxExpandedFilters} filters are accepted, those of the segments referred to included`;
  throw refusal([{ field: condition.path, message, code: 'too_big' }]);
}

/** @param leading segments that lead to the condition */
async function checkCampaigns(
  em: Em,
  ownId: string,
  { references, refersTo }: Pick<References, 'references' | 'refersTo'>,
  graph: ReadonlyMap<string, SegmentNode>,
  leading: ReadonlySet<string>,
): Promise<void> {
  const named = references.filter(({ subject }) => subject === 'campaign');
  const asking = await findAsking(em, refersTo, graph);
  const ids = new Set([...named.map(({ id }) => id), ...asking.flatMap(({ campaigns }) => [...campaigns])]);
  if (ids.size === 0) return;
  const fields = ['id', 'status', 'segmentId', 'audienceCondition'] as const;
  const known = await em.find(Campaign, { id: { $in: [...ids] } }, { fields });
  const dependent = known.filter(
    (campaign) =>
      unsentStatuses.includes(campaign.status) && audienceSegments(campaign).some((id) => leading.has(id)),
  );
  const inRing = new Set([ownId, ...dependent.map(({ id }) => id)]);
  const own = named.filter(({ id }) => inRing.has(id));
  if (own.length > 0) throw refusal(issuesAt(own, dependsOnItself, 'invalid_value'));
  const through = asking.filter(({ campaigns }) => [...campaigns].some((id) => inRing.has(id)));
  const leadingBack = segmentsLeadingTo(
    graph,
    through.map(({ id }) => id),
  );
  const back = references.filter(({ id }) => leadingBack.has(id));
  if (back.length > 0) throw refusal(issuesAt(back, dependsThrough(through), 'invalid_value'));
  const unknown = named.filter(({ id }) => known.every((campaign) => campaign.id !== id));
  if (unknown.length > 0) throw refusal(issuesAt(unknown, 'Unknown campaign', 'invalid_value'));
}

const dependsOnItself = 'The campaign would depend on itself';
const dependsThrough = (asking: readonly { name: string }[]) =>
  `${dependsOnItself}: ${asking.map(({ name }) => `“${name}”`).join(', ')} asks who got it`;

export function audienceSegments({ segmentId, audienceCondition }: AudienceSegments): string[] {
  if (segmentId) return [segmentId];
  const parsed = audienceCondition === null ? undefined : parseCondition(audienceCondition);
  return parsed?.ok ? [...conditionReferences(parsed.condition).segments] : [];
}

/**
 * The conditions of some segments and of all that they refer to, at any depth.
 * @param graph as `readGraph`, if it was read already
 */
export async function readReached(
  em: Em,
  starts: readonly string[],
  graph?: ReadonlyMap<string, SegmentNode>,
): Promise<{ id: string; name: string; condition: Condition }[]> {
  if (starts.length === 0) return [];
  const reached = segmentsReachedFrom(graph ?? (await em.getRepository(Segment).readGraph()), starts);
  const fields = ['name', 'condition'] as const;
  const segments = await em.find(Segment, { id: { $in: [...reached] } }, { fields });
  return segments.flatMap(({ id, name, condition }) => {
    const parsed = parseCondition(condition);
    return parsed.ok ? [{ id, name, condition: parsed.condition }] : [];
  });
}

/** Those of `readReached` that ask who got a campaign. */
async function findAsking(...which: Parameters<typeof readReached>) {
  const reached = await readReached(...which);
  return reached
    .map(({ condition, ...segment }) => ({ ...segment, ...conditionReferences(condition) }))
    .filter(({ campaigns }) => campaigns.size > 0);
}

/**
 * Checks that the segment of an audience does not lead to a condition on its campaign, which has gone to nobody when the
 * audience is evaluated. Requires the lock on segment references.
 * @throws DomainError `BAD_REQUEST`
 */
export async function requireNoRing(em: Em, campaignId: string, segmentId: string): Promise<void> {
  const asking = (await findAsking(em, [segmentId])).filter(({ campaigns }) => campaigns.has(campaignId));
  if (asking.length > 0) throw new DomainError('BAD_REQUEST', dependsThrough(asking));
}

function issuesAt(references: ReadCondition['references'], message: string, code: string): FieldIssue[] {
  return references.map(({ path, subject, id }) => ({
    field: path,
    message,
    code,
    received: `${subject}.${id}`,
  }));
}
