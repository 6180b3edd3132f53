import { standardFields } from '../../core/conditions/contact-field.ts';
import { type FieldType, inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import { ContactField } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { listHistoryNames } from '../../db/statements/events/event-names.ts';
import { sampleEventData } from '../../db/statements/events/sample-event-data.ts';
import type { ProjectPlaces } from './project-places.ts';

const maxNames = 1_000;

const ofContact = (field: string, type: FieldType) => ({ field, type, source: 'contact' as const });
const ofEvent = (name: string, type: FieldType | 'event') => ({
  field: `event.${name}`,
  type,
  source: 'event' as const,
});

export function createWorkflowFieldsService(orm: Orm, heavyReads: ProjectPlaces) {
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
        ...Object.entries(standardFields).map(([field, type]) => ofContact(field, type)),
        ...custom.map(({ key, type }) => ofContact(`data.${key}`, type)),
        ...names.map((name) => ofEvent(name, 'event')),
        ...data.flatMap(({ key, value }) => (value === null ? [] : [ofEvent(key, inferFieldType(value))])),
      ];
    },
  };
}
