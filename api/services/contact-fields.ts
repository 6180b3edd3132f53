import type { Condition } from '../../core/conditions/condition.ts';
import {
  type ContactFieldName,
  parseContactField,
  type StandardField,
  standardFields,
} from '../../core/conditions/contact-field.ts';
import { readsField } from '../../core/conditions/references.ts';
import { compareCodePoints } from '../../core/conditions/text-order.ts';
import { DomainError, notFound, orNotFound } from '../../core/errors.ts';
import type { InTurn } from '../../core/in-turn.ts';
import { refersToField } from '../../core/workflows/references.ts';
import { unlessAway } from '../../db/database-away.ts';
import { ContactField } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import {
  type AudienceFigures,
  readAudienceFigures,
  readKeyFigures,
} from '../../db/statements/contacts/contact-figures.ts';
import { type FieldValue, readFieldValues } from '../../db/statements/contacts/read-field-values.ts';
import { type ContactPlace, removeKey } from '../../db/statements/contacts/remove-key.ts';
import { contactsPerScan } from '../../db/statements/contacts/scan-contacts.ts';
import { notifyProjectChange } from '../../db/statements/projects/notify-project-change.ts';
import type { ProjectPlaces } from './project-places.ts';
import { findReferringConditions, findReferringWorkflows } from './references.ts';

const typeOrder = ['boolean', 'number', 'string'];

function compareValues(one: FieldValue, other: FieldValue): number {
  if (typeof one === 'string' && typeof other === 'string') return compareCodePoints(one, other);
  return typeOrder.indexOf(typeof one) - typeOrder.indexOf(typeof other) || Number(one) - Number(other);
}

function standardCount(field: StandardField, { contacts, snoozed }: AudienceFigures): number {
  return field === 'snoozedUntil' ? snoozed : contacts;
}

/**
 * Fields are named as in `list`; the prefix `data.` is optional. Methods that take a field throw DomainError
 * `NOT_FOUND` for a name that no field can have, and `usage` and `remove` also for an unknown one.
 */
export function createContactFieldsService(orm: Orm, heavyReads: ProjectPlaces) {
  return {
    list: (projectId: string) => listFields(orm.em.fork(), projectId),

    /** Up to `limit` distinct values of the newest contacts, sorted; none for a key that no contact has. */
    async values(projectId: string, field: string, limit: number) {
      const name = parseField(field);
      const { contacts } = await readAudienceFigures(orm.em.fork(), projectId);
      const values = await heavyReads.run(projectId, () =>
        readFieldValues(orm.em.fork(), projectId, name, limit),
      );
      return {
        field: name.kind === 'custom' ? `data.${name.key}` : name.name,
        values: values.sort(compareValues),
        searched: contacts > contactsPerScan ? contactsPerScan : null,
      };
    },

    /** @throws DomainError `NOT_FOUND` for a field that no contact has had and nothing refers to */
    async usage(projectId: string, field: string) {
      const name = parseField(field);
      const { contactCount, ...references } = await heavyReads.run(projectId, () =>
        findUsage(projectEm(orm, projectId), projectId, name),
      );
      const isReferredTo = Object.values(references).some(({ length }) => length > 0);
      if (name.kind === 'custom' && !isReferredTo && !(await isKnown(orm, projectId, name.key))) {
        throw notFound('Field');
      }
      return { ...references, contactCount };
    },

    /**
     * Deletes a field and its type from all contacts.
     * @returns the number of contacts that had it
     * @throws DomainError `BAD_REQUEST` for a built-in field
     */
    async remove(projectId: string, field: string) {
      const name = parseField(field);
      if (name.kind === 'standard') {
        throw new DomainError('BAD_REQUEST', `${name.name} is a built-in field and can't be deleted`);
      }
      if (!(await isKnown(orm, projectId, name.key))) throw notFound('Field');
      return deleteField(orm, projectId, name.key, heavyReads.inBatches(projectId));
    },
  };
}

/** A key exists while it has a type or a contact uses it. */
async function isKnown(orm: Orm, projectId: string, key: string): Promise<boolean> {
  const em = projectEm(orm, projectId);
  if ((await em.count(ContactField, { projectId, key })) > 0) return true;
  return (await readKeyFigures(em, projectId, key)).size > 0;
}

const parseField = (field: string) => orNotFound(parseContactField(field), 'Field');

async function listFields(em: Em, projectId: string) {
  const figures = await readAudienceFigures(em, projectId);
  const holders = await readKeyFigures(em, projectId);
  const types = await em.getRepository(ContactField).listTypes(projectId);
  const coverageOf = (count: number) => (figures.contacts === 0 ? 0 : Math.min(count / figures.contacts, 1));
  const standard = (Object.keys(standardFields) as StandardField[]).map((field) => ({
    field,
    type: standardFields[field],
    isCustom: false,
    coverage: coverageOf(standardCount(field, figures)),
  }));
  const custom = types.map(({ key, type }) => ({
    field: `data.${key}`,
    type,
    isCustom: true,
    coverage: coverageOf(holders.get(key) ?? 0),
  }));
  return [...standard, ...custom];
}

/** The key's next value determines a new type. The notification leaves when the deletion commits. */
const deleteType = (orm: Orm, projectId: string, key: string): Promise<void> =>
  orm.em.fork().transactional(async (em) => {
    await em.nativeDelete(ContactField, { projectId, key });
    await notifyProjectChange(em, projectId);
  });

/** Contacts per batch, which locks those that have the key. A contact of 64 KB takes up to 30 ms, a small one 0.2 ms. */
const contactsAtATime = 100;

/**
 * Removes a key from all contacts, one transaction per batch, and deletes its type.
 *
 * The type goes first, so that new values fix a new one. A concurrent write may still rely on the old type and leave
 * the key on a contact that was already processed. The sweep that folds the figures then fixes a type for it, as it
 * does for the rest when this call is interrupted. A type that the sweep fixed in the meantime is deleted at the end.
 *
 * @returns the number of contacts that had the key
 */
async function deleteField(orm: Orm, projectId: string, key: string, inTurn: InTurn): Promise<number> {
  await inTurn(() => deleteType(orm, projectId, key));
  let deletedFrom = 0;
  let last: ContactPlace | undefined;
  do {
    const after = last;
    const batch = await inTurn(() =>
      retryTransaction(() => removeKey(orm.em.fork(), projectId, key, after, contactsAtATime)),
    );
    deletedFrom += batch.removed;
    last = batch.last;
  } while (last !== undefined);
  // No contact has the key any more, so an outage does not deny its deletion.
  const left = await unlessAway(readKeyFigures(orm.em.fork(), projectId, key));
  if (left?.size === 0) await unlessAway(deleteType(orm, projectId, key));
  return deletedFrom;
}

async function findUsage(em: Em, projectId: string, name: ContactFieldName) {
  const text = name.kind === 'custom' ? name.key : name.name;
  const reads = (condition: Condition) => readsField(condition, name);
  return {
    usedInSegments: await findReferringConditions(em, projectId, 'segments', text, reads),
    usedInCampaigns: await findReferringConditions(em, projectId, 'campaigns', text, reads),
    usedInWorkflows: await findReferringWorkflows(em, projectId, text, (step) => refersToField(step, name)),
    contactCount: await countHolders(em, projectId, name),
  };
}

/** Null for a path into objects: figures exist only for the keys of `data` itself. */
async function countHolders(em: Em, projectId: string, name: ContactFieldName): Promise<number | null> {
  if (name.kind === 'standard') return standardCount(name.name, await readAudienceFigures(em, projectId));
  const counted = (await readKeyFigures(em, projectId, name.key)).get(name.key);
  return counted ?? (name.path.length > 1 ? null : 0);
}
