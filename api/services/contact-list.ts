import { z } from 'zod';
import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import { Contact } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type ContactStatus,
  contactStatuses,
  needsScan,
} from '../../db/statements/contacts/contact-filter.ts';
import type { ContactRow } from '../../db/statements/contacts/contact-row.ts';
import {
  type ContactPosition,
  countMatches,
  listContacts,
} from '../../db/statements/contacts/list-contacts.ts';
import {
  type AudienceFigures,
  readAudienceFigures,
} from '../../db/statements/contacts/read-contact-figures.ts';
import { type ListContactsQuery, mostLookedUp } from '../schemas/contact-list.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface ContactPage {
  contacts: ContactRow[];
  cursor: string | null;
  /** Total of all pages; counted on the first page only, 0 on later ones. */
  total: number;
}

export interface ContactListService {
  /** @throws DomainError `BAD_REQUEST` for a cursor from another list */
  list(projectId: string, query: ListContactsQuery): Promise<ContactPage>;
  /**
   * Splits addresses by whether the project has a contact for them. Results are normalised, distinct and in input
   * order.
   * @throws DomainError `BAD_REQUEST` for none, more than 500, or an invalid address
   */
  lookup(projectId: string, emails: readonly string[]): Promise<{ found: string[]; notFound: string[] }>;
}

const positionSchemas = {
  email: z.tuple([z.literal('email'), z.string(), z.uuid()]),
  createdAt: z.tuple([z.literal('createdAt'), cursorInstant, z.uuid()]),
};

function readPosition(query: ListContactsQuery): ContactPosition | undefined {
  if (query.cursor === undefined) return undefined;
  const position = decodeCursor<[string, string, string]>(query.cursor, positionSchemas[query.sort]);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', {
      suggestion: 'Pass the cursor of the previous page with the same sort, or leave it out.',
    });
  }
  return { value: position[1], id: position[2] };
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

export function createContactListService(orm: Orm, heavyReads: HeavyReads): ContactListService {
  async function totalOf(projectId: string, query: ListContactsQuery): Promise<number> {
    if (needsScan(query)) return countMatches(orm.em.fork(), projectId, query);
    const figures = await readAudienceFigures(orm.em.fork(), projectId);
    const statuses: readonly ContactStatus[] = query.statuses ?? contactStatuses;
    return statuses.reduce((total, status) => total + countOf(status, figures), 0);
  }

  async function readPage(projectId: string, query: ListContactsQuery): Promise<ContactPage> {
    const after = readPosition(query);
    const direction = query.dir ?? (query.sort === 'email' ? 'asc' : 'desc');
    const order = { by: query.sort, direction } as const;
    const rows = await listContacts(orm.em.fork(), projectId, query, order, after, query.limit + 1);
    const isAll = rows.length <= query.limit;
    let total = 0;
    // Counting rare matches scans the whole project; a page that holds them all needs no count.
    if (after === undefined) total = isAll ? rows.length : await totalOf(projectId, query);
    const contacts = rows.slice(0, query.limit);
    const last = contacts.at(-1);
    if (isAll || last === undefined) return { contacts, cursor: null, total };
    const value = query.sort === 'email' ? last.email : last.createdAt.toISOString();
    return { contacts, cursor: encodeCursor([query.sort, value, last.id]), total };
  }

  return {
    list: (projectId, query) =>
      needsScan(query)
        ? heavyReads.run(projectId, () => readPage(projectId, query))
        : readPage(projectId, query),

    async lookup(projectId, sent) {
      const emails = readAddresses(sent);
      const known = new Set(await orm.em.fork().getRepository(Contact).findKnown(projectId, emails));
      return {
        found: emails.filter((email) => known.has(email)),
        notFound: emails.filter((email) => !known.has(email)),
      };
    },
  };
}
