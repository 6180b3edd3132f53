import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { segmentEventName } from '../../core/reserved-events.ts';
import { segmentSlug, withIdSuffix } from '../../core/segments/slug.ts';
import { type ReferringConfig, refersToEvent, segmentsOf } from '../../core/workflows/references.ts';
import { unlessAway } from '../../db/database-away.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { dropMembers } from '../../db/statements/segments/drop-members.ts';
import { listPinnedSteps } from '../../db/statements/segments/list-pinned-steps.ts';
import {
  lockLeadingSegments,
  lockSegmentReferences,
} from '../../db/statements/segments/lock-segment-references.ts';
import { measureSegments } from '../../db/statements/segments/measure-segments.ts';
import { countMembers } from '../../db/statements/segments/segment-members.ts';
import { waitForStarts } from '../../db/statements/workflows/wait-for-starts.ts';
import type { CreateSegmentBody, PatchSegmentBody } from '../schemas/segments.ts';
import { stillPinned } from './pinned-versions.ts';
import type { ProjectPlaces } from './project-places.ts';
import { findReferringWorkflows, inUse, usedBy } from './references.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { checkReferences, type ReadCondition, readCondition } from './segment-conditions.ts';

/** Members of a deleted segment are deleted in at most this many transactions; a sweep deletes the rest. */
const dropBatchesPerCall = 10;
const slugAttempts = 3;
const mostSegments = 2_000;
/** JSON text of all conditions of a project. */
const mostConditionBytes = 4 * 1024 * 1024;

export const findSegment = async (em: Em, id: string, lockMode?: LockMode) =>
  orNotFound(await em.findOne(Segment, { id }, { lockMode }), 'Segment');

/**
 * Methods that take an id throw DomainError `NOT_FOUND`, `create` and `patch` throw `BAD_REQUEST` for an invalid
 * condition, and `remove` throws `CONFLICT` while something refers to the segment.
 */
export function createSegmentsService(orm: Orm, heavyReads: ProjectPlaces, writes: ProjectPlaces) {
  const get = (projectId: string, id: string) => findSegment(projectEm(orm, projectId), id);
  const count = (segment: Segment) => countMembers(projectEm(orm, segment.projectId), segment);
  // The segment is already saved, so nothing refuses it: without a free place, or if it takes too long, a sweep counts it.
  const counted = async (segment: Segment): Promise<Segment> => {
    const memberCount = await unlessAway(heavyReads.runSoon(segment.projectId, () => count(segment)));
    segment.memberCount = memberCount ?? segment.memberCount;
    return segment;
  };

  return {
    get,
    list: (projectId: string) => projectEm(orm, projectId).getRepository(Segment).listAll(),

    async create(
      projectId: string,
      { name, description, type, condition: raw, trackMembership }: CreateSegmentBody,
    ) {
      const condition = type === 'DYNAMIC' ? readNewCondition(raw) : undefined;
      const segment = { projectId, name, description: description ?? null, type, trackMembership };
      const store = async (em: Em) => {
        await requireRoom(em, projectId, null, condition);
        if (condition !== undefined && condition.references.length > 0) {
          await checkReferences(em, projectId, newId(), condition);
        }
        return insertWithSlug(em, { ...segment, ...conditionFields(condition) });
      };
      // Not while it is counted, which may take as long as a statement may.
      return counted(await writes.run(projectId, () => projectEm(orm, projectId).transactional(store)));
    },

    /**
     * Changes the given fields; a new condition triggers a count. Drops members, which may be many, with a place for each batch.
     * @throws DomainError `BAD_REQUEST` also for a condition on a static segment and a change of type, `CONFLICT` when it
     * has changed since `seen`, when tracking is switched off while a workflow uses its entry or exit, and for a condition
     * that the freeze of a campaign is evaluating
     */
    async patch(
      projectId: string,
      id: string,
      { name, description, type, condition: raw, trackMembership }: PatchSegmentBody,
      seen?: Date,
    ) {
      const inTurn = writes.inBatches(projectId);
      const drop = () => dropMembers(orm.em.fork(), projectId, id, Infinity, inTurn);
      const before = await inTurn(() => get(projectId, id));
      requireUnchanged(before, seen);
      requireSameType(before, type);
      const condition = readChangedCondition(before, raw);
      if (trackMembership === false && before.trackMembership) {
        await heavyReads.run(projectId, () => requireNoListeners(orm, before));
      }
      // Drops rows that an interrupted switch-off left: they would hide that their contacts enter again.
      if (trackMembership === true) await drop();
      const change = { name, description, trackMembership, ...conditionFields(condition) };
      const store = async (em: Em) => {
        if (condition !== undefined) {
          await requireRoom(em, projectId, id, condition);
          await checkReferences(em, projectId, id, condition);
          await requireNotFreezing(em, await lockLeadingSegments(em, projectId, id));
        }
        const segment = await findSegment(em, id, LockMode.PESSIMISTIC_WRITE);
        requireUnchanged(segment, seen);
        return em.assign(segment, change, { ignoreUndefined: true });
      };
      const changed = await inTurn(() => projectEm(orm, projectId).transactional(store));
      if (trackMembership === false) await unlessAway(drop());
      return condition === undefined ? changed : counted(changed);
    },

    remove: (projectId: string, id: string) =>
      heavyReads.run(projectId, () => removeSegment(orm, projectId, id)),

    async refresh(projectId: string, id: string) {
      const segment = await get(projectId, id);
      return { memberCount: await heavyReads.run(projectId, () => count(segment)) };
    },
  };
}

function requireSameType(before: Segment, type: Segment['type'] | undefined): void {
  if (type === undefined || type === before.type) return;
  throw new DomainError('BAD_REQUEST', `type: The type of a ${before.type} segment can't be changed`);
}

/**
 * Locks the project's segment references, so that concurrent calls can't exceed the limit.
 * @throws DomainError `CONFLICT` when the list of all segments, which has no pages, would grow too large
 */
async function requireRoom(
  em: Em,
  projectId: string,
  id: string | null,
  condition: ReadCondition | undefined,
): Promise<void> {
  await lockSegmentReferences(em, projectId);
  const others = await measureSegments(em, projectId, id);
  const segments = others.segments + 1;
  const conditionBytes =
    others.conditionBytes + Buffer.byteLength(JSON.stringify(condition?.condition ?? null));
  if (segments <= mostSegments && conditionBytes <= mostConditionBytes) return;
  throw new DomainError(
    'CONFLICT',
    `A project has at most ${mostSegments} segments, with conditions of at most ${mostConditionBytes / 1024 / 1024} MB in all`,
    { details: { segments, conditionBytes }, suggestion: 'Delete segments that you no longer need.' },
  );
}

function conditionFields(condition: ReadCondition | undefined) {
  if (condition === undefined) return {};
  const { condition: tree, filterCount, refersTo } = condition;
  return { condition: tree, filterCount, refersTo };
}

function readNewCondition(raw: unknown): ReadCondition {
  if (raw === undefined || raw === null) {
    throw new DomainError('BAD_REQUEST', 'condition is required for a dynamic segment');
  }
  return readCondition(raw, 'condition');
}

function readChangedCondition({ type }: Segment, raw: unknown): ReadCondition | undefined {
  if (raw === undefined) return undefined;
  if (type === 'DYNAMIC') return readCondition(raw, 'condition');
  if (raw === null) return undefined;
  throw new DomainError('BAD_REQUEST', 'condition: A static segment has none');
}

type NewSegment = Pick<Segment, 'projectId' | 'name' | 'description' | 'type' | 'trackMembership'> &
  Partial<Pick<Segment, 'condition' | 'filterCount' | 'refersTo'>>;

async function insertWithSlug(em: Em, segment: NewSegment): Promise<Segment> {
  for (let attempt = 1; attempt <= slugAttempts; attempt += 1) {
    const id = newId();
    const plain = segmentSlug(segment.name, id);
    for (const slug of [plain, withIdSuffix(plain, id)]) {
      try {
        return await em.transactional(async (nested) => nested.create(Segment, { ...segment, id, slug }));
      } catch (error) {
        if (!(error instanceof UniqueConstraintViolationException)) throw error;
      }
    }
  }
  throw new Error(`No slug is free for the segment ${segment.name}`);
}

async function removeSegment(orm: Orm, projectId: string, id: string): Promise<void> {
  // The edit that removed the last reference has committed by now, so no execution starts with the version before it.
  await requireUnused(projectEm(orm, projectId), projectId, id);
  await waitForStarts(orm.em.fork(), projectId);
  await projectEm(orm, projectId).transactional(async (em) => {
    await lockSegmentReferences(em, projectId);
    await requireUnused(em, projectId, id);
    em.remove(await findSegment(em, id));
  });
  // The segment is gone; a sweep deletes what is left of it.
  await unlessAway(dropMembers(orm.em.fork(), projectId, id, dropBatchesPerCall));
}

async function requireUnused(em: Em, projectId: string, id: string): Promise<void> {
  const segment = await findSegment(em, id);
  const uses = await findSegmentUses(em, projectId, segment);
  if (Object.keys(uses).length > 0) throw inUse('The segment is in use', uses);
  await requireNotPinned(em, segment, "The segment can't be deleted", refersToSegment);
}

/** Executions follow the version of their workflow that they started with. */
async function requireNotPinned(
  em: Em,
  segment: Segment,
  refusal: string,
  uses: (step: ReferringConfig, segment: Segment) => boolean,
): Promise<void> {
  const pinned = await listPinnedSteps(em, segment.projectId, segment);
  const using = pinned.filter(({ steps }) => steps.some((step) => uses(step, segment)));
  if (using.length === 0) return;
  throw stillPinned(
    refusal,
    using.map(({ steps: _, ...version }) => version),
  );
}

/**
 * A freeze evaluates its audience piece by piece: after an edit, a part of the recipients would meet the old condition and
 * the rest the new one. Requires the lock on segment references, which the start of a campaign takes, too.
 */
async function requireNotFreezing(em: Em, segmentIds: readonly string[]): Promise<void> {
  const isAsked = ({ segmentId, audienceCondition }: Pick<Campaign, 'segmentId' | 'audienceCondition'>) => {
    const condition = JSON.stringify(audienceCondition).toLowerCase();
    return segmentIds.some((id) => id === segmentId || condition.includes(`"segment.${id}"`));
  };
  const campaigns = (await em.getRepository(Campaign).findFreezing()).filter(isAsked);
  if (campaigns.length === 0) return;
  throw new DomainError('CONFLICT', 'A campaign is just collecting its recipients by this condition', {
    details: { campaigns: campaigns.map(({ id, name }) => ({ id, name })) },
    suggestion: 'Try again in a moment, or cancel the campaign.',
  });
}

/** Without its events, workflows that start with one would silently stop, and executions that wait for one never continue. */
async function requireNoListeners(orm: Orm, segment: Segment): Promise<void> {
  const em = projectEm(orm, segment.projectId);
  const workflows = await findReferringWorkflows(
    em,
    segment.projectId,
    `segment.${segment.slug}.`,
    (step) => readsEventsOf(step, segment) || startsWith(step, segment),
  );
  if (workflows.length > 0) {
    throw inUse('Workflows use the entry or exit of the segment, so it must stay tracked', { workflows });
  }
  // The edit that removed the last such step has committed by now, so no execution starts with the version before it.
  await waitForStarts(orm.em.fork(), segment.projectId);
  await requireNotPinned(em, segment, 'The segment must stay tracked', readsEventsOf);
}

const eventsOf = ({ slug }: Segment) => [segmentEventName(slug, 'entry'), segmentEventName(slug, 'exit')];

/** Whether the step waits for the segment's entry or exit or asks for them. */
const readsEventsOf = (step: ReferringConfig, segment: Segment) =>
  eventsOf(segment).some((name) => refersToEvent(step, name));

const startsWith = ({ eventName }: { eventName: string }, segment: Segment) =>
  eventsOf(segment).includes(eventName);

/** Whether a condition names the segment, or the step reads its events. */
const refersToSegment = (step: ReferringConfig, segment: Segment) =>
  segmentsOf(step).has(segment.id) || readsEventsOf(step, segment);

/** Omits kinds without references. Add each new kind of reference here, and store it under `lockSegmentReferences`. */
async function findSegmentUses(em: Em, projectId: string, segment: Segment) {
  const { id } = segment;
  return usedBy({
    segments: await em.getRepository(Segment).findReferring(id),
    campaigns: await em.getRepository(Campaign).findReferring('segment', id),
    workflows: await findReferringWorkflows(
      em,
      projectId,
      'segment.',
      (step) => refersToSegment(step, segment) || startsWith(step, segment),
    ),
  });
}
