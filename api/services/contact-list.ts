import { z } from 'zod';
import { parseEmailAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { ContactRow } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { type AudienceFigures, readAudienceFigures } from '../../db/repositories/contacts/contact-figures.ts';
import {
  type ContactStatus,
  contactStatuses,
  needsScan,
} from '../../db/repositories/contacts/contact-filter.ts';
import { findKnownEmails } from '../../db/repositories/contacts/contacts.ts';
import {
  type ContactPosition,
  countMatches,
  listContacts,
} from '../../db/repositories/contacts/list-contacts.ts';
import { type ListContactsQuery, mostLookedUp } from '../schemas/contact-list.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface ContactPage {
  contacts: ContactRow[];
  cursor: string | null;
  /** Of all pages, on the first page only; 0 on later ones. */
  total: number;
}

export interface ContactListService {
  /** @throws DomainError `BAD_REQUEST` for a cursor that is not of this list */
  list(projectId: string, query: ListContactsQuery): Promise<ContactPage>;
  /**
   * Which of these addresses the project has contacts for: normalised, each once, in their order.
   * @throws DomainError `BAD_REQUEST` for none, for more than 500, and for what is no address
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
    throw new DomainError('BAD_REQUEST', 'The cursor is not one of this list', {
      suggestion: 'Pass back the cursor of the page before, with the same sort, or leave it out.',
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

/** The contacts of a project, many at a time. */
export function createContactListService(orm: Orm, heavyReads: HeavyReads): ContactListService {
  /** From the kept figures where they tell, and otherwise counted. */
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
    // Rare matches take a pass over the project, and a page that holds them all has counted them.
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
      const rows = await findKnownEmails(orm.em.fork(), projectId, emails);
      const known = new Set(rows.map((row) => row.email));
      return {
        found: emails.filter((email) => known.has(email)),
        notFound: emails.filter((email) => !known.has(email)),
      };
    },
  };
}
