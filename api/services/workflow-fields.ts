import { standardFields } from '../../core/conditions/contact-field.ts';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import { ContactField } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { listHistoryNames } from '../../db/statements/events/event-names.ts';
import { sampleEventData } from '../../db/statements/events/sample-event-data.ts';
import type { ProjectSlots } from './project-slots.ts';

const maxNames = 1_000;

export function createWorkflowFieldsService(orm: Orm, heavyReads: ProjectSlots) {
  return {
    /**
     * Fields that a CONDITION step can read: contact fields, past events, and data of recent samples of events that
     * workflows listen to.
     */
    async list(projectId: string) {
      const em = orm.em.fork();
      const custom = await em.getRepository(ContactField).listTypes(projectId);
      const names = await listHistoryNames(em, projectId, maxNames);
      const data = await heavyReads.run(projectId, () => sampleEventData(em, projectId));
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
