import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../core/errors.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { ContactRow } from '../../db/entities/contact.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { findContact } from '../../db/repositories/contacts/contacts.ts';
import { deleteContacts } from '../../db/repositories/contacts/delete-contacts.ts';
import { patchContact, upsertContact } from '../../db/repositories/contacts/write-contacts.ts';
import type { PatchContactBody, UpsertContactBody } from '../schemas/contacts.ts';
import { contactRefusal } from './contact-errors.ts';
import { toPatch } from './contact-patch.ts';
import type { NamingWrite, ProjectNames } from './project-names.ts';

export interface ContactsService {
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<ContactRow>;
  /** @throws DomainError `VALIDATION_ERROR` when the data would grow beyond 64 KB */
  upsert(projectId: string, body: UpsertContactBody): Promise<{ contact: ContactRow; isNew: boolean }>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` for a taken address, `VALIDATION_ERROR` as above */
  patch(projectId: string, id: string, body: PatchContactBody): Promise<ContactRow>;
  /** @throws DomainError `NOT_FOUND` */
  remove(projectId: string, id: string): Promise<void>;
}

/** The contacts of a project, one at a time. */
export function createContactsService(
  orm: Orm,
  projectNames: ProjectNames,
  committed: () => void,
): ContactsService {
  const write = async <Result>(data: NamingWrite, run: (em: Em) => Promise<Result>): Promise<Result> => {
    try {
      const result = await retrySerialization(() => projectNames.write([data], run));
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

    async upsert(projectId, body) {
      const patch = toPatch(body.data);
      const { id, isNew } = await write({ projectId, patch }, (em) =>
        upsertContact(em, {
          projectId,
          email: body.email,
          contactId: uuidv7(),
          subscribed: body.subscribed,
          patch,
          flipId: uuidv7(),
          occurredAt: new Date(),
        }),
      );
      return { contact: await get(projectId, id), isNew };
    },

    async patch(projectId, id, body) {
      const patch = toPatch(body.data);
      return write({ projectId, patch }, async (em) => {
        const contact = await patchContact(em, {
          projectId,
          id,
          email: body.email,
          subscribed: body.subscribed,
          patch,
          flipId: uuidv7(),
          occurredAt: new Date(),
        });
        if (contact === undefined) throw notFound('Contact');
        return contact;
      });
    },

    async remove(projectId, id) {
      const deleted = await retrySerialization(() =>
        orm.em.fork().transactional((em) => deleteContacts(em, projectId, [id])),
      );
      if (deleted.length === 0) throw notFound('Contact');
    },
  };
}
