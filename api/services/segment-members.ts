import { IsolationLevel } from '@mikro-orm/core';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import { segmentAudience } from '../../db/conditions/audience.ts';
import type { ContactRow } from '../../db/entities/contact.ts';
import type { SegmentRow } from '../../db/entities/segment.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { readAudienceFigures } from '../../db/repositories/contacts/contact-figures.ts';
import {
  type ComputationProgress,
  computationStart,
  computeSegment,
} from '../../db/repositories/segments/compute-segment.ts';
import { countAudience, listAudience } from '../../db/repositories/segments/segment-contacts.ts';
import { findSegment, lockSegment } from '../../db/repositories/segments/segments.ts';
import { changeStaticMembers, createMissingContacts } from '../../db/repositories/segments/static-members.ts';
import { type OffsetQuery, offsetWindow } from '../schemas/pagination.ts';
import type { AddMembersBody } from '../schemas/segments.ts';
import { contactsCountedLive } from './counted-live.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface SegmentMembersService {
  /** A page of the members right now, newest contact first. @throws DomainError `NOT_FOUND` */
  list(projectId: string, id: string, query: OffsetQuery): Promise<{ contacts: ContactRow[]; total: number }>;
  /** @throws DomainError `NOT_FOUND`, `BAD_REQUEST` for a dynamic segment */
  add(
    projectId: string,
    id: string,
    body: AddMembersBody,
  ): Promise<{ added: number; created: number; notFound: string[] }>;
  /** @throws DomainError as `add` */
  remove(
    projectId: string,
    id: string,
    emails: readonly string[],
  ): Promise<{ removed: number; notFound: string[] }>;
  /**
   * Brings the kept members of a tracked dynamic segment up to date and emits the events of each change.
   * @throws DomainError `NOT_FOUND`, `BAD_REQUEST` for any other segment
   */
  compute(projectId: string, id: string): Promise<Omit<ComputationProgress, 'after'>>;
}

/** Members of segments. @param committed called after commits that left rows in the journal */
export function createSegmentMembersService(
  orm: Orm,
  heavyReads: HeavyReads,
  committed: () => void,
): SegmentMembersService {
  /** Runs a change of a static segment, which stays locked for as long. */
  async function changeStatic<Result>(
    projectId: string,
    id: string,
    change: (em: Em, segment: SegmentRow) => Promise<Result>,
  ): Promise<Result> {
    const result = await retrySerialization(() =>
      orm.em.fork().transactional(async (em) => {
        const segment = await lockSegment(em, projectId, id);
        if (segment === undefined) throw notFound('Segment');
        if (segment.type === 'STATIC') return change(em, segment);
        throw new DomainError('BAD_REQUEST', 'The members of a dynamic segment follow from its condition', {
          suggestion: 'Change the condition, or use a segment of type STATIC.',
        });
      }),
    );
    committed();
    return result;
  }

  const readPage = (projectId: string, id: string, query: OffsetQuery) =>
    // One snapshot, so that the page and its total are of the same moment.
    orm.em.fork().transactional(
      async (em) => {
        const segment = await findSegment(em, projectId, id);
        const audience = await segmentAudience(em, projectId, id);
        if (segment === undefined || audience === undefined) throw notFound('Segment');
        const window = offsetWindow(query);
        const contacts = await listAudience(em, projectId, audience, window);
        const figures = await readAudienceFigures(em, projectId);
        const total =
          figures.contacts > contactsCountedLive
            ? correctTotal(segment.memberCount, window, contacts.length)
            : await countAudience(em, projectId, audience);
        return { contacts, total };
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
    );

  return {
    list: (projectId, id, query) => heavyReads.run(projectId, () => readPage(projectId, id, query)),

    add: (projectId, id, { emails, createMissing, subscribed }) =>
      changeStatic(projectId, id, async (em, segment) => {
        const addresses = [...new Set(emails)];
        const created = createMissing
          ? await createMissingContacts(em, newContacts(projectId, addresses), subscribed)
          : 0;
        const { changed, found } = await changeStaticMembers(em, segment, 'add', addresses);
        return { added: changed, created, notFound: without(addresses, found) };
      }),

    remove: (projectId, id, emails) =>
      changeStatic(projectId, id, async (em, segment) => {
        const addresses = [...new Set(emails)];
        const { changed, found } = await changeStaticMembers(em, segment, 'remove', addresses);
        return { removed: changed, notFound: without(addresses, found) };
      }),

    async compute(projectId, id) {
      const em = orm.em.fork();
      if ((await findSegment(em, projectId, id)) === undefined) throw notFound('Segment');
      const result = await heavyReads.run(projectId, () =>
        computeSegment(em, projectId, id, computationStart, committed),
      );
      committed();
      if (result !== undefined) {
        return { added: result.added, removed: result.removed, total: result.total };
      }
      throw new DomainError('BAD_REQUEST', 'Only a dynamic segment with trackMembership is computed', {
        suggestion: 'Set trackMembership to true first.',
      });
    },
  };
}

function newContacts(projectId: string, emails: readonly string[]) {
  const occurredAt = new Date();
  return emails.map((email) => ({
    projectId,
    email,
    contactId: newId(),
    subscribed: undefined,
    patch: {},
    flipId: newId(),
    occurredAt,
  }));
}

function without(addresses: readonly string[], found: readonly string[]): string[] {
  const known = new Set(found);
  return addresses.filter((address) => !known.has(address));
}

/** The kept figure, made to agree with a page: a page that is not full knows the total. */
function correctTotal(
  kept: number,
  { limit, offset }: { limit: number; offset: number },
  found: number,
): number {
  if (found === limit) return Math.max(kept, offset + found);
  return found > 0 || offset === 0 ? offset + found : Math.min(kept, offset);
}
