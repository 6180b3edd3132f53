import { toPatch } from '../../core/contact-data/contact-patch.ts';
import { notFound, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { Contact } from '../../db/entities/contact.ts';
import { allProjects, projectEm } from '../../db/entities/project-em.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import { deleteContacts, forgetInEnded } from '../../db/statements/contacts/delete-contacts.ts';
import { patchContact, upsertContact } from '../../db/statements/contacts/patch-contact.ts';
import type { PatchContactBody, UpsertContactBody } from '../schemas/contacts.ts';
import { contactRefusal } from './contact-errors.ts';
import type { ProjectPlaces } from './project-places.ts';
import type { NamingWrite, RecordedNames } from './recorded-names.ts';
import { requireUnchanged } from './require-unchanged.ts';

/**
 * Methods that take an id throw DomainError `NOT_FOUND`; writes throw `VALIDATION_ERROR` when the contact's data
 * would exceed 64 KB, and `CONFLICT` when another contact has the address.
 */
export function createContactsService(
  orm: Orm,
  recordedNames: RecordedNames,
  writes: ProjectPlaces,
  committed: () => void,
) {
  const write = createWriter(recordedNames, committed);
  const get = async (projectId: string, id: string) =>
    orNotFound(await projectEm(orm, projectId).findOne(Contact, { id }), 'Contact');

  return {
    get,

    async upsert(projectId: string, body: UpsertContactBody) {
      const patch = toPatch(body.data);
      const input = { projectId, email: body.email, subscribed: body.subscribed, patch };
      const ids = { contactId: newId(), flipId: newId() };
      // Read before the commit: after it, another call may have deleted the contact, or Postgres may be gone.
      const apply = async (em: Em) => {
        for (;;) {
          const { id, isNew } = await upsertContact(em, { ...input, ...ids, occurredAt: new Date() });
          const contact = await em.findOne(Contact, { id, projectId }, allProjects);
          // An unchanged contact is not locked: another call may have deleted it, and it is created again.
          if (contact !== null) return { contact, isNew };
        }
      };
      return write({ projectId, patch }, (em) => em.transactional(apply));
    },

    /** @throws DomainError `CONFLICT` also when it has changed since `seen` */
    async patch(projectId: string, id: string, body: PatchContactBody, seen?: Date) {
      const patch = toPatch(body.data);
      const { email, subscribed } = body;
      const apply = async (em: Em) => {
        const change = { projectId, id, email, subscribed, patch, occurredAt: new Date() };
        return orNotFound(await patchContact(em, change), 'Contact');
      };
      if (seen === undefined) return write({ projectId, patch }, apply);
      const checked = async (em: Em) => {
        const before = await lockRecord(em, Contact, { id, projectId }, allProjects);
        if (before !== null) requireUnchanged(before, seen);
        return apply(em);
      };
      return write({ projectId, patch }, (em) => em.transactional(checked));
    },

    /** Takes a place among the writes for each batch: a contact may have very many executions. */
    async remove(projectId: string, id: string) {
      const inTurn = writes.inBatches(projectId);
      const forget = () => retryTransaction(() => forgetInEnded(orm.em.fork(), projectId, [id]));
      while (await inTurn(forget));
      const deleted = await inTurn(() =>
        retryTransaction(() =>
          projectEm(orm, projectId).transactional((em) => deleteContacts(em, projectId, [id])),
        ),
      );
      if (deleted.length === 0) throw notFound('Contact');
    },
  };
}

const createWriter =
  (recordedNames: RecordedNames, committed: () => void) =>
  async <Result>(data: NamingWrite, run: (em: Em) => Promise<Result>): Promise<Result> => {
    try {
      const result = await retryTransaction(() => recordedNames.write([data], run));
      committed();
      return result;
    } catch (error) {
      throw contactRefusal(error);
    }
  };
