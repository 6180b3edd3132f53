import { standardFields } from '../../core/conditions/contact-field.ts';
import { type FieldType, inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import { ContactField } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { listHistoryNames } from '../../db/statements/events/list-history-names.ts';
import { sampleEventData } from '../../db/statements/events/sample-event-data.ts';

/** Conditions on `event` test the event's history (`triggered`, `countGreaterThan`); other types compare values. */
export interface WorkflowField {
  field: string;
  type: FieldType | 'event';
  source: 'contact' | 'event';
}

export interface WorkflowFieldsService {
  /**
   * Fields that a CONDITION step can read: contact fields, past events, and data of recent samples of events that
   * workflows listen to.
   */
  list(projectId: string): Promise<WorkflowField[]>;
}

const maxNames = 1_000;

export function createWorkflowFieldsService(orm: Orm): WorkflowFieldsService {
  return {
    async list(projectId) {
      const em = orm.em.fork();
      const [custom, names, data] = [
        await em.getRepository(ContactField).listTypes(projectId),
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
