import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { conditionReferences, readsDataField } from '../../core/conditions/references.ts';
import { compareCodePoints } from '../../core/conditions/text-order.ts';
import {
  type ContactFieldName,
  parseContactField,
  type StandardField,
  standardFields,
} from '../../core/contact-data/contact-field.ts';
import type { FieldType } from '../../core/contact-data/infer-field-type.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { refersToField } from '../../core/workflows/references.ts';
import type { Orm } from '../../db/orm.ts';
import { findTypedKeys, listFieldTypes } from '../../db/repositories/contacts/contact-fields.ts';
import {
  type AudienceFigures,
  readAudienceFigures,
  readKeyFigures,
} from '../../db/repositories/contacts/contact-figures.ts';
import { type FieldValue, readFieldValues } from '../../db/repositories/contacts/field-values.ts';
import { listStoredConditions } from '../../db/repositories/segments/stored-conditions.ts';
import { listReferringSteps, workflowsWith } from '../../db/repositories/workflows/workflow-uses.ts';
import { deleteField } from './delete-field.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface ContactFieldInfo {
  /** A built-in name, or `data.<key>`. */
  field: string;
  type: FieldType;
  isCustom: boolean;
  /** Share of the contacts that have it, 0 to 1. */
  coverage: number;
}

/** What refers to something, as usage lists show it. */
interface NamedReference {
  id: string;
  name: string;
}

export interface ContactFieldUsage {
  usedInSegments: NamedReference[];
  usedInCampaigns: NamedReference[];
  usedInWorkflows: NamedReference[];
  /** Contacts that have the field. */
  contactCount: number;
}

/** Fields are named as in listings; `data.` may be left out. All throw DomainError `NOT_FOUND` for an unknown one. */
export interface ContactFieldsService {
  /** The built-in fields, then those of `data` by name. */
  list(projectId: string): Promise<ContactFieldInfo[]>;
  /** Distinct values, at most `limit`, in order: those of the newest contacts when there are more. */
  values(projectId: string, field: string, limit: number): Promise<{ field: string; values: FieldValue[] }>;
  usage(projectId: string, field: string): Promise<ContactFieldUsage>;
  /**
   * Takes a field from every contact and forgets its type.
   * @returns how many contacts had it
   * @throws DomainError `BAD_REQUEST` for a built-in field
   */
  remove(projectId: string, field: string): Promise<number>;
}

const typeOrder = { boolean: 0, number: 1, string: 2 };
const orderOf = (value: FieldValue) =>
  typeof value === 'boolean'
    ? typeOrder.boolean
    : typeof value === 'number'
      ? typeOrder.number
      : typeOrder.string;

/** Booleans, then numbers, then strings by code point, which is the order of dates too. */
function compareValues(one: FieldValue, other: FieldValue): number {
  if (typeof one === 'string' && typeof other === 'string') return compareCodePoints(one, other);
  return orderOf(one) - orderOf(other) || Number(one) - Number(other);
}

function standardCount(field: StandardField, { contacts, snoozed }: AudienceFigures): number {
  return field === 'snoozedUntil' ? snoozed : contacts;
}

export function createContactFieldsService(orm: Orm, heavyReads: HeavyReads): ContactFieldsService {
  function parse(field: string): ContactFieldName {
    const name = parseContactField(field);
    if (name === undefined) throw notFound('Field');
    return name;
  }

  /** A key is known while it has a type, and also while contacts have it. */
  async function isKnown(projectId: string, key: string): Promise<boolean> {
    const em = orm.em.fork();
    if ((await findTypedKeys(em, projectId, [key])).length > 0) return true;
    return (await readKeyFigures(em, projectId, key)).size > 0;
  }

  return {
    async list(projectId) {
      const em = orm.em.fork();
      const [figures, holders, types] = [
        await readAudienceFigures(em, projectId),
        await readKeyFigures(em, projectId),
        await listFieldTypes(em, projectId),
      ];
      const coverageOf = (count: number) =>
        figures.contacts === 0 ? 0 : Math.min(count / figures.contacts, 1);
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
    },

    async values(projectId, field, limit) {
      const name = parse(field);
      if (name.kind === 'custom' && !(await isKnown(projectId, name.key))) {
        const [root = ''] = name.path;
        if (name.path.length < 2 || !(await isKnown(projectId, root))) throw notFound('Field');
      }
      const values = await heavyReads.run(projectId, () =>
        readFieldValues(orm.em.fork(), projectId, name, limit),
      );
      return {
        field: name.kind === 'custom' ? `data.${name.key}` : name.name,
        values: values.sort(compareValues),
      };
    },

    async usage(projectId, field) {
      const name = parse(field);
      if (name.kind === 'custom' && !(await isKnown(projectId, name.key))) throw notFound('Field');
      const em = orm.em.fork();
      const readers = (await listStoredConditions(em, projectId)).filter(({ condition: stored }) => {
        const parsed = parseCondition(stored);
        if (!parsed.ok) return false;
        return name.kind === 'custom'
          ? readsDataField(parsed.condition, name.key)
          : conditionReferences(parsed.condition).builtIn.has(name.name);
      });
      const of = (kind: 'segment' | 'campaign') =>
        readers.filter((one) => one.kind === kind).map(({ id, name: title }) => ({ id, name: title }));
      const contactCount =
        name.kind === 'custom'
          ? ((await readKeyFigures(em, projectId, name.key)).get(name.key) ?? 0)
          : standardCount(name.name, await readAudienceFigures(em, projectId));
      return {
        usedInSegments: of('segment'),
        usedInCampaigns: of('campaign'),
        usedInWorkflows: workflowsWith(await listReferringSteps(em, projectId), (step) =>
          refersToField(step, name),
        ),
        contactCount,
      };
    },

    async remove(projectId, field) {
      const name = parse(field);
      if (name.kind === 'standard') {
        throw new DomainError('BAD_REQUEST', `${name.name} is a built-in field and can't be deleted`);
      }
      if (!(await isKnown(projectId, name.key))) throw notFound('Field');
      return heavyReads.run(projectId, () => deleteField(orm, projectId, name.key));
    },
  };
}
