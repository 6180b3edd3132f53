import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { segmentSlug, withIdSuffix } from '../../core/segments/slug.ts';
import type { SegmentRow } from '../../db/entities/segment.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { dropMembers } from '../../db/repositories/segments/drop-members.ts';
import { countMembers } from '../../db/repositories/segments/segment-contacts.ts';
import {
  deleteSegment,
  findSegment,
  insertSegment,
  listSegments,
  lockSegmentReferences,
  type NewSegment,
  updateSegment,
} from '../../db/repositories/segments/segments.ts';
import type { CreateSegmentBody, PatchSegmentBody } from '../schemas/segments.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { checkReferences, type ReadCondition, readCondition } from './segment-conditions.ts';
import { findSegmentUses } from './segment-uses.ts';

export interface SegmentsService {
  /** Newest first. */
  list(projectId: string): Promise<SegmentRow[]>;
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<SegmentRow>;
  /** Creates and counts. @throws DomainError `BAD_REQUEST` for a condition that is missing or wrong */
  create(projectId: string, body: CreateSegmentBody): Promise<SegmentRow>;
  /**
   * Changes what is sent; a new condition is counted.
   * @throws DomainError `NOT_FOUND`, `BAD_REQUEST` for a condition that is wrong or on a static segment, and for
   *   another type
   */
  patch(projectId: string, id: string, body: PatchSegmentBody): Promise<SegmentRow>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` while something refers to the segment */
  remove(projectId: string, id: string): Promise<void>;
  /** Counts the members now. @throws DomainError `NOT_FOUND` */
  refresh(projectId: string, id: string): Promise<{ memberCount: number }>;
}

/** Transactions in which the members of a deleted segment go while the caller waits; a sweep deletes the rest. */
const dropBatchesPerCall = 10;
const slugAttempts = 3;

const noCondition = { condition: null, filterCount: 0, refersTo: [] };

export function createSegmentsService(orm: Orm, heavyReads: HeavyReads): SegmentsService {
  const get = async (projectId: string, id: string) => {
    const segment = await findSegment(orm.em.fork(), projectId, id);
    if (segment === undefined) throw notFound('Segment');
    return segment;
  };
  const count = (segment: SegmentRow) => countMembers(orm.em.fork(), segment);
  /** A segment that was just written. Where too much is counted already, a sweep counts it later. */
  const counted = async (segment: SegmentRow): Promise<SegmentRow> => ({
    ...segment,
    memberCount: (await heavyReads.runIfFree(segment.projectId, () => count(segment))) ?? segment.memberCount,
  });

  return {
    get,
    list: (projectId) => listSegments(orm.em.fork(), projectId),

    async create(projectId, { name, description, type, condition: raw, trackMembership }) {
      const condition = type === 'DYNAMIC' ? readNewCondition(raw) : undefined;
      const segment = { projectId, name, description: description ?? null, type, trackMembership };
      const created = await orm.em.fork().transactional(async (em) => {
        if (condition !== undefined && condition.references.length > 0) {
          await checkReferences(em, projectId, newId(), condition);
        }
        return insertWithSlug(em, { ...segment, ...(condition ?? noCondition) });
      });
      return counted(created);
    },

    async patch(projectId, id, { name, description, type, condition: raw, trackMembership }) {
      const before = await get(projectId, id);
      if (type !== undefined && type !== before.type) {
        throw new DomainError('BAD_REQUEST', `type: A ${before.type} segment stays one`);
      }
      const condition = readChangedCondition(before, raw);
      // Rows that an interrupted switch-off left would hide that their contacts enter anew.
      if (trackMembership === true) await dropMembers(orm.em.fork(), projectId, id);
      const change = { name, description, condition, trackMembership };
      const changed = await orm.em.fork().transactional(async (em) => {
        if (condition !== undefined) await checkReferences(em, projectId, before.id, condition);
        return updateSegment(em, projectId, id, change);
      });
      if (changed === undefined) throw notFound('Segment');
      if (trackMembership === false) await dropMembers(orm.em.fork(), projectId, id);
      return condition === undefined ? changed : counted(changed);
    },

    async remove(projectId, id) {
      await orm.em.fork().transactional(async (em) => {
        await lockSegmentReferences(em, projectId);
        const uses = await findSegmentUses(em, projectId, id);
        if (Object.keys(uses).length > 0) {
          throw new DomainError('CONFLICT', 'The segment is in use', {
            details: { ...uses },
            suggestion: 'Remove the references that `details` lists first.',
          });
        }
        if (!(await deleteSegment(em, projectId, id))) throw notFound('Segment');
      });
      await dropMembers(orm.em.fork(), projectId, id, dropBatchesPerCall);
    },

    async refresh(projectId, id) {
      const segment = await get(projectId, id);
      return { memberCount: await heavyReads.run(projectId, () => count(segment)) };
    },
  };
}

function readNewCondition(raw: unknown): ReadCondition {
  if (raw === undefined || raw === null) {
    throw new DomainError('BAD_REQUEST', 'condition is required for a dynamic segment');
  }
  return readCondition(raw, 'condition');
}

function readChangedCondition({ type }: SegmentRow, raw: unknown): ReadCondition | undefined {
  if (raw === undefined) return undefined;
  if (type === 'DYNAMIC') return readCondition(raw, 'condition');
  if (raw === null) return undefined;
  throw new DomainError('BAD_REQUEST', 'condition: A static segment has none');
}

async function insertWithSlug(em: Em, segment: Omit<NewSegment, 'id' | 'slug'>): Promise<SegmentRow> {
  for (let attempt = 1; attempt <= slugAttempts; attempt += 1) {
    const id = newId();
    const plain = segmentSlug(segment.name, id);
    for (const slug of [plain, withIdSuffix(plain, id)]) {
      const created = await insertSegment(em, { ...segment, id, slug });
      if (created !== undefined) return created;
    }
  }
  throw new Error(`No slug is free for the segment ${segment.name}`);
}
