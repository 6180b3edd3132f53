import { standardFields } from '../../core/contact-data/contact-field.ts';
import { type FieldType, inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { Orm } from '../../db/orm.ts';
import { listFieldTypes } from '../../db/repositories/contacts/contact-fields.ts';
import { listHistoryNames, sampleEventData } from '../../db/repositories/events/event-fields.ts';

/** `event` is asked about history (`triggered`, `countGreaterThan`); the others by value. */
export interface WorkflowField {
  field: string;
  type: FieldType | 'event';
  source: 'contact' | 'event';
}

export interface WorkflowFieldsService {
  /**
   * What a CONDITION step can ask: the fields of contacts, the events that they have had, and the data of the events
   * that workflows listen to, as far as lately seen.
   */
  list(projectId: string): Promise<WorkflowField[]>;
}

const maxNames = 1_000;

export function createWorkflowFieldsService(orm: Orm): WorkflowFieldsService {
  return {
    async list(projectId) {
      const em = orm.em.fork();
      const [custom, names, data] = [
        await listFieldTypes(em, projectId),
        await listHistoryNames(em, projectId, maxNames),
        await sampleEventData(em, projectId),
      ];
      return [
        ...Object.entries(standardFields).map(([field, type]) => ({
          field,
          type,
          source: 'contact' as const,
        })),
        ...custom.map(({ key, type }) => ({ field: `data.${key}`, type, source: 'contact' as const })),
        ...names.map((name) => ({
          field: `event.${name}`,
          type: 'event' as const,
          source: 'event' as const,
        })),
        ...data.flatMap(({ key, value }) =>
          value === null
            ? []
            : [{ field: `event.${key}`, type: inferFieldType(value), source: 'event' as const }],
        ),
      ];
    },
  };
}
