import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { DomainError, notFound } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { ContactRow } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type ContactPosition,
  countContacts,
  deleteContact,
  findContact,
  listContacts,
} from '../../db/repositories/contacts.ts';
import { patchContact, upsertContact } from '../../db/repositories/write-contacts.ts';
import type { ListContactsQuery, PatchContactBody, UpsertContactBody } from '../schemas/contacts.ts';
import { contactRefusal } from './contact-errors.ts';
import { toPatch } from './contact-patch.ts';
import type { FieldTypes } from './field-types.ts';

export interface ContactPage {
  contacts: ContactRow[];
  cursor: string | null;
  /** Of all pages, on the first page only; 0 on later ones. */
  total: number;
}

export interface ContactsService {
  /** @throws DomainError `BAD_REQUEST` for a cursor that is not of this list */
  list(projectId: string, query: ListContactsQuery): Promise<ContactPage>;
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<ContactRow>;
  /** @throws DomainError `VALIDATION_ERROR` when the data would grow beyond 64 KB */
  upsert(projectId: string, body: UpsertContactBody): Promise<{ contact: ContactRow; isNew: boolean }>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` for a taken address, `VALIDATION_ERROR` as above */
  patch(projectId: string, id: string, body: PatchContactBody): Promise<ContactRow>;
  /** @throws DomainError `NOT_FOUND` */
  remove(projectId: string, id: string): Promise<void>;
}

const positionSchemas = {
  email: z.tuple([z.literal('email'), z.string(), z.uuid()]),
  createdAt: z.tuple([z.literal('createdAt'), z.iso.datetime(), z.uuid()]),
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

/** The contacts of a project, one at a time. */
export function createContactsService(
  orm: Orm,
  fieldTypes: FieldTypes,
  committed: () => void,
): ContactsService {
  const write = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await retrySerialization(run);
      committed();
      return result;
    } catch (error) {
      throw contactRefusal(error);
    }
  };
  const get = async (projectId: string, id: string) => {
    const contact = await findContact(orm.em.fork(), projectId, id);
    if (contact === undefined) throw notFound('Contact');
    return contact;
  };

  return {
    get,

    async list(projectId, query) {
      const after = readPosition(query);
      const filter = { search: query.search?.toLowerCase() || undefined, subscribed: query.subscribed };
      const order = {
        by: query.sort,
        direction: query.dir ?? (query.sort === 'email' ? 'asc' : 'desc'),
      } as const;
      const [rows, total] = await Promise.all([
        listContacts(orm.em.fork(), projectId, filter, order, after, query.limit + 1),
        after === undefined ? countContacts(orm.em.fork(), projectId, filter) : 0,
      ]);
      const contacts = rows.slice(0, query.limit);
      const last = contacts.at(-1);
      const cursor =
        rows.length > query.limit && last !== undefined
          ? encodeCursor([
              query.sort,
              query.sort === 'email' ? last.email : last.createdAt.toISOString(),
              last.id,
            ])
          : null;
      return { contacts, cursor, total };
    },

    async upsert(projectId, body) {
      if (body.data !== undefined) await fieldTypes.learn(projectId, body.data);
      const { id, isNew } = await write(() =>
        upsertContact(orm.em.fork(), {
          projectId,
          email: body.email,
          contactId: uuidv7(),
          subscribed: body.subscribed,
          patch: toPatch(body.data),
          flipId: uuidv7(),
          occurredAt: new Date(),
        }),
      );
      return { contact: await get(projectId, id), isNew };
    },

    async patch(projectId, id, body) {
      if (body.data !== undefined) await fieldTypes.learn(projectId, body.data);
      const contact = await write(() =>
        patchContact(orm.em.fork(), {
          projectId,
          id,
          email: body.email,
          subscribed: body.subscribed,
          patch: toPatch(body.data),
          flipId: uuidv7(),
          occurredAt: new Date(),
        }),
      );
      if (contact === undefined) throw notFound('Contact');
      return contact;
    },

    async remove(projectId, id) {
      if (!(await deleteContact(orm.em.fork(), projectId, id))) throw notFound('Contact');
    },
  };
}
