import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { readsEvent } from '../../core/conditions/references.ts';
import { newId } from '../../core/new-id.ts';
import { refersToEvent } from '../../core/workflows/references.ts';
import type { Orm } from '../../db/orm.ts';
import { deleteEvents } from '../../db/repositories/events/delete-events.ts';
import {
  hurryEventDeletion,
  journalEventDeletion,
  recordEventDeletion,
} from '../../db/repositories/events/event-deletions.ts';
import { listSegments } from '../../db/repositories/segments/segments.ts';
import { listReferringSteps, workflowsWith } from '../../db/repositories/workflows/workflow-uses.ts';

/** What refers to something, as usage lists show it. */
export interface NamedReference {
  id: string;
  name: string;
}

export interface EventUsage {
  segments: NamedReference[];
  workflows: NamedReference[];
}

export interface EventsService {
  /** Where the name of an event is referred to, newest first; it need not have happened yet. */
  usage(projectId: string, name: string): Promise<EventUsage>;
  /**
   * Deletes the events of a name that the project has when it is called. Answers when they are gone from Postgres;
   * ClickHouse follows, and while it is away, when it is back.
   *
   * @returns how many there were.
   */
  remove(projectId: string, name: string): Promise<number>;
}

export function createEventsService(orm: Orm, committed: () => void): EventsService {
  return {
    async usage(projectId, name) {
      const segments = await listSegments(orm.em.fork(), projectId);
      const referring = segments.filter(({ condition }) => {
        if (condition === null) return false;
        const parsed = parseCondition(condition);
        return parsed.ok && readsEvent(parsed.condition, name);
      });
      return {
        segments: referring.map((segment) => ({ id: segment.id, name: segment.name })),
        workflows: workflowsWith(
          await listReferringSteps(orm.em.fork(), projectId),
          (step) => step.eventName === name || refersToEvent(step, name),
        ),
      };
    },

    async remove(projectId, name) {
      const em = orm.em.fork();
      const deletion = await recordEventDeletion(em, newId(), projectId, name);
      const deleted = await deleteEvents(em, deletion);
      await journalEventDeletion(em, deletion);
      await hurryEventDeletion(em, deletion.id);
      committed();
      return deleted;
    },
  };
}
