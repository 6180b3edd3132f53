import { z } from 'zod';
import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import { cursorInstant, encodeCursor } from '../../core/pagination/cursor.ts';
import type { Total } from '../../db/count-or-estimate.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { type AudienceFigures, readAudienceFigures } from '../../db/statements/contacts/contact-figures.ts';
import {
  type ContactFilter,
  type ContactStatus,
  contactStatuses,
  isByAddressAlone,
  needsScan,
} from '../../db/statements/contacts/contact-filter.ts';
import {
  type ContactOrder,
  type ContactPosition,
  positionOf,
} from '../../db/statements/contacts/contact-order.ts';
import { countContacts } from '../../db/statements/contacts/count-contacts.ts';
import { listContacts } from '../../db/statements/contacts/list-contacts.ts';
import { type CountContactsQuery, type ListContactsQuery, mostLookedUp } from '../schemas/contact-list.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';
import type { ProjectPlaces } from './project-places.ts';

const positionSchema = (kind: string, value: z.ZodType<string>) =>
  z.tuple([z.literal(kind), value, z.uuid()]).transform(([, value, id]) => ({ value, id }));

const positionSchemas = {
  email: positionSchema('email', z.string()),
  createdAt: positionSchema('createdAt', cursorInstant),
  count: positionSchema('count', cursorInstant),
};
const sameSort = 'Pass the cursor of the previous page with the same sort, or leave it out.';

const readPosition = (cursor: string | undefined, kind: keyof typeof positionSchemas) =>
  readCursor(cursor, positionSchemas[kind], sameSort);

function cursorAt(kind: keyof typeof positionSchemas, position: ContactPosition | undefined): string | null {
  return position === undefined ? null : encodeCursor([kind, position.value, position.id]);
}

function countOf(status: ContactStatus, { contacts, subscribed, snoozed }: AudienceFigures): number {
  switch (status) {
    case 'subscribed':
      return subscribed;
    case 'snoozed':
      return snoozed;
    case 'unsubscribed':
      return contacts - subscribed - snoozed;
  }
}

function readAddresses(sent: readonly string[]): string[] {
  if (sent.length === 0 || sent.length > mostLookedUp) {
    throw new DomainError('BAD_REQUEST', `Expected 1 to ${mostLookedUp} addresses in emails`);
  }
  const emails = sent.map((text, index) => {
    const email = parseEmailAddress(text);
    if (email === undefined) throw new DomainError('BAD_REQUEST', `emails.${index} is not an email address`);
    return email;
  });
  return [...new Set(emails)];
}

export function createContactListService(orm: Orm, heavyReads: ProjectPlaces) {
  async function countPart(projectId: string, filter: ContactFilter, after?: ContactPosition) {
    if (needsScan(filter)) return countContacts(orm.em.fork(), projectId, filter, after);
    const figures = await readAudienceFigures(orm.em.fork(), projectId);
    const statuses: readonly ContactStatus[] = filter.statuses ?? contactStatuses;
    const count = statuses.reduce((total, status) => total + countOf(status, figures), 0);
    return { count, scannedUntil: undefined };
  }

  async function readPage(projectId: string, query: ListContactsQuery) {
    const after = readPosition(query.cursor, query.sort);
    const direction = query.dir ?? (query.sort === 'email' ? 'asc' : 'desc');
    const order: ContactOrder = { by: query.sort, direction };
    const search = { projectId, filter: query, order, after };
    const found = await listContacts(projectEm(orm, projectId), search, query.limit + 1);
    const { rows, isFull, next, searchedUntil } = toScannedPage(found, query.limit, (row) =>
      positionOf(order, row),
    );
    return {
      contacts: rows,
      cursor: cursorAt(query.sort, next),
      searchedUntil: searchedUntil?.value ?? null,
      ...(await totalOf(projectId, query, rows.length, isFull, next === undefined)),
    };
  }

  /** A page that is not full needs no count: it has all matches, or all among those scanned. */
  async function totalOf(
    projectId: string,
    query: ListContactsQuery,
    shown: number,
    isFull: boolean,
    isAll: boolean,
  ): Promise<Total> {
    if (query.cursor !== undefined) return { total: 0, totalAccuracy: 'minimum' };
    if (isAll || !(isFull || isByAddressAlone(query)))
      return { total: shown, totalAccuracy: isAll ? 'exact' : 'minimum' };
    const { count, scannedUntil } = await countPart(projectId, query);
    return { total: Math.max(count, shown), totalAccuracy: scannedUntil === undefined ? 'exact' : 'minimum' };
  }

  const inTurn = <Result>(projectId: string, filter: ContactFilter, read: () => Promise<Result>) =>
    needsScan(filter) ? heavyReads.run(projectId, read) : read();

  return {
    /** @throws DomainError `BAD_REQUEST` for a cursor from another list */
    list: (projectId: string, query: ListContactsQuery) =>
      inTurn(projectId, query, () => readPage(projectId, query)),

    /**
     * Counts the matches, in parts if every contact must be scanned.
     * @throws DomainError `BAD_REQUEST` for a cursor from another list
     */
    async count(projectId: string, query: CountContactsQuery) {
      const after = readPosition(query.cursor, 'count');
      const { count, scannedUntil } = await inTurn(projectId, query, () =>
        countPart(projectId, query, after),
      );
      return { count, cursor: cursorAt('count', scannedUntil), searchedUntil: scannedUntil?.value ?? null };
    },

    /**
     * Splits addresses by whether the project has a contact for them. Results are normalized, distinct and in input
     * order.
     * @throws DomainError `BAD_REQUEST` for none, more than 500, or an invalid address
     */
    async lookup(projectId: string, sent: readonly string[]) {
      const emails = readAddresses(sent);
      const known = new Set(await projectEm(orm, projectId).getRepository(Contact).findKnown(emails));
      return {
        found: emails.filter((email) => known.has(email)),
        notFound: emails.filter((email) => !known.has(email)),
      };
    },
  };
}
