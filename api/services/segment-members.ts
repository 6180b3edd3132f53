import { IsolationLevel, LockMode } from '@mikro-orm/core';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { maxExpandedFilters } from '../../core/segments/reference-graph.ts';
import { type Audience, conditionAudience, segmentAudience } from '../../db/conditions/audience.ts';
import { mostCounted, type Total } from '../../db/count-or-estimate.ts';
import { Contact } from '../../db/entities/contact.ts';
import type { ListWindow } from '../../db/entities/list-window.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import { readAudienceFigures } from '../../db/statements/contacts/contact-figures.ts';
import { createMissingContacts } from '../../db/statements/contacts/patch-contact.ts';
import {
  countAudience,
  listAudience,
  sampleAudience,
} from '../../db/statements/segments/audience-contacts.ts';
import { batchSegments } from '../../db/statements/segments/batch-segments.ts';
import { changeStaticMembers } from '../../db/statements/segments/change-static-members.ts';
import { computationStart, computeSegment } from '../../db/statements/segments/compute-segment.ts';
import { countStaticMembers, listMembers } from '../../db/statements/segments/segment-members.ts';
import { segmentsOfContact } from '../../db/statements/segments/segments-of-contact.ts';
import type { LargePageQuery } from '../schemas/pagination.ts';
import type { AddMembersBody } from '../schemas/segments.ts';
import { readLargePage } from './cursor-page.ts';
import { contactsCountedLive } from './keep-counts.ts';
import type { ProjectPlaces } from './project-places.ts';
import { checkReferences, type ReadCondition, readCondition } from './segment-conditions.ts';
import { findSegment } from './segments.ts';

const sampleSize = 10;
/** Below this share of matches, walking through the newest contacts takes longer than a scan of all. */
const rareShare = 1 / 1000;

/**
 * All methods throw DomainError `NOT_FOUND`; `list` also as `readLargePage`; `add` and `remove` throw `BAD_REQUEST` for
 * a dynamic segment.
 */
export function createSegmentMembersService(orm: Orm, heavyReads: ProjectPlaces, committed: () => void) {
  return {
    list: (projectId: string, id: string, query: LargePageQuery) =>
      heavyReads.run(projectId, () => readPage(orm, projectId, id, query)),

    /** The segments that a contact is in right now, newest first. */
    async ofContact(projectId: string, contactId: string) {
      const em = projectEm(orm, projectId);
      orNotFound(await em.findOne(Contact, { id: contactId }, { fields: ['id'] }), 'Contact');
      const segments = await em.getRepository(Segment).listAll();
      const inTurn = heavyReads.inBatches(projectId);
      const found = new Set<string>();
      for (const ids of batchesOf(segments, contactId)) {
        const those = await inTurn(() => segmentsOfContact(em, projectId, contactId, ids));
        for (const id of those) found.add(id);
      }
      return segments.filter(({ id }) => found.has(id));
    },

    add: (projectId: string, id: string, { emails, createMissing, subscribed }: AddMembersBody) =>
      changeStatic(orm, committed, projectId, id, async (em, segment) => {
        const addresses = [...new Set(emails)];
        const created = createMissing ? await createMissingContacts(em, projectId, addresses, subscribed) : 0;
        const { changed, found } = await changeStaticMembers(em, segment, 'add', addresses);
        return { added: changed, created, notFound: without(addresses, found) };
      }),

    remove: (projectId: string, id: string, emails: readonly string[]) =>
      changeStatic(orm, committed, projectId, id, async (em, segment) => {
        const addresses = [...new Set(emails)];
        const { changed, found } = await changeStaticMembers(em, segment, 'remove', addresses);
        return { removed: changed, notFound: without(addresses, found) };
      }),

    /**
     * Counts the contacts that meet a condition that is not yet a segment's, and returns the newest of them.
     * @throws DomainError `BAD_REQUEST` with a path per fault, as for a new segment
     */
    async preview(projectId: string, raw: unknown) {
      const condition = readCondition(raw, 'condition');
      return heavyReads.run(projectId, async () => {
        if (condition.references.length > 0) {
          await projectEm(orm, projectId).transactional((em) =>
            checkReferences(em, projectId, newId(), condition),
          );
        }
        return readPreview(orm.em.fork(), projectId, condition);
      });
    },

    /**
     * Updates the stored members of a tracked dynamic segment and emits an event per change.
     * @throws DomainError `BAD_REQUEST` for any other segment
     */
    async compute(projectId: string, id: string) {
      const em = projectEm(orm, projectId);
      await findSegment(em, id);
      const inTurn = heavyReads.inBatches(projectId);
      const result = await computeSegment(em, projectId, id, computationStart, committed, inTurn);
      committed();
      if (result !== undefined) return { added: result.added, removed: result.removed, total: result.total };
      // It may have been deleted meanwhile.
      await findSegment(projectEm(orm, projectId), id);
      throw new DomainError('BAD_REQUEST', 'Only a dynamic segment with trackMembership is computed', {
        suggestion: 'Set trackMembership to true first.',
      });
    },
  };
}

function* batchesOf(segments: readonly Segment[], contactId: string): Generator<string[]> {
  const readers = segments.map(({ id, filterCount, refersTo }) => ({
    id,
    inputs: ['contact'],
    filters: refersTo.length === 0 ? filterCount : maxExpandedFilters,
  }));
  const touched = new Map([['contact', new Set([contactId])]]);
  for (const { bits } of batchSegments(readers, touched)) yield [...bits.keys()];
}

function without(addresses: readonly string[], found: readonly string[]): string[] {
  const known = new Set(found);
  return addresses.filter((address) => !known.has(address));
}

async function changeStatic<Result>(
  orm: Orm,
  committed: () => void,
  projectId: string,
  id: string,
  change: (em: Em, segment: Segment) => Promise<Result>,
): Promise<Result> {
  const result = await retryTransaction(() =>
    projectEm(orm, projectId).transactional(async (em) => {
      const segment = await findSegment(em, id, LockMode.PESSIMISTIC_WRITE);
      if (segment.type === 'STATIC') return change(em, segment);
      throw new DomainError('BAD_REQUEST', 'The members of a dynamic segment are defined by its condition', {
        suggestion: 'Change the condition, or use a segment of type STATIC.',
      });
    }),
  );
  committed();
  return result;
}

async function readPreview(em: Em, projectId: string, condition: ReadCondition) {
  const audience = await conditionAudience(em, projectId, condition.parsed);
  const count = await countAudience(em, projectId, audience);
  if (count === 0) return { count, sample: [] };
  const { contacts } = await readAudienceFigures(em, projectId);
  const sample =
    count < contacts * rareShare
      ? await sampleAudience(em, projectId, audience, sampleSize)
      : await listAudience(em, projectId, audience, { limit: sampleSize, offset: 0 });
  return { count, sample };
}

/** In one snapshot, so that the page and the total agree. */
function readPage(orm: Orm, projectId: string, id: string, query: LargePageQuery) {
  return projectEm(orm, projectId).transactional(
    async (em) => {
      const segment = await findSegment(em, id);
      const audience = orNotFound(await segmentAudience(em, projectId, id), 'Segment');
      return readLargePage({
        kind: 'members',
        query,
        total: await totalOf(em, segment, audience),
        read: (window) => readMembers(em, segment, audience, window),
        positionOf: ({ createdAt, id: contactId }) => ({ at: createdAt, id: contactId }),
      });
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );
}

/** A page of the members right now, newest contact first. */
export const readMembers = (
  em: Em,
  { id, projectId, type }: Segment,
  audience: Audience,
  window: ListWindow,
) => (type === 'STATIC' ? listMembers(em, id, window) : listAudience(em, projectId, audience, window));

async function totalOf(
  em: Em,
  { id, projectId, type, memberCount }: Segment,
  audience: Audience,
): Promise<Total> {
  if (type === 'STATIC') {
    const counted = await countStaticMembers(em, id);
    return counted.totalAccuracy === 'exact'
      ? counted
      : { total: Math.max(memberCount, mostCounted), totalAccuracy: 'estimate' };
  }
  const { contacts } = await readAudienceFigures(em, projectId);
  if (contacts > contactsCountedLive) return { total: memberCount, totalAccuracy: 'estimate' };
  return { total: await countAudience(em, projectId, audience), totalAccuracy: 'exact' };
}
