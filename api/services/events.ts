import { readsEvent } from '../../core/conditions/references.ts';
import { refersToEvent } from '../../core/workflows/references.ts';
import { unlessAway } from '../../db/database-away.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { completeDeletion, deleteEvents } from '../../db/statements/events/delete-events.ts';
import { recordEventDeletion } from '../../db/statements/events/record-event-deletion.ts';
import { makeCommandDue } from '../../db/statements/outbox/settle-commands.ts';
import type { ProjectPlaces } from './project-places.ts';
import { findReferringConditions, findReferringWorkflows } from './references.ts';

export function createEventsService(orm: Orm, heavyReads: ProjectPlaces, committed: () => void) {
  return {
    /** References to an event name, newest first. The event need not exist yet. */
    usage: (projectId: string, name: string) =>
      heavyReads.run(projectId, () => findUsage(projectEm(orm, projectId), projectId, name)),

    /**
     * Deletes the events of this name that exist at the time of the call. Returns once they are gone from Postgres;
     * ClickHouse follows, even after an outage.
     * @returns the number of deleted events
     */
    async remove(projectId: string, name: string) {
      const em = projectEm(orm, projectId);
      const inTurn = heavyReads.inBatches(projectId);
      const deletion = await inTurn(() => recordEventDeletion(em, projectId, name));
      const deleted = await deleteEvents(em, deletion, { inTurn });
      const complete = async () => {
        await completeDeletion(em, deletion);
        // The work is done here, so the workflow need not wait out its delay.
        await makeCommandDue(em, { projectId, kind: 'events.delete', subjectId: deletion.id });
      };
      // The events are deleted. Without Postgres, the workflow completes the rest after its delay.
      await unlessAway(complete());
      committed();
      return deleted;
    },
  };
}

async function findUsage(em: Em, projectId: string, name: string) {
  // Conditions name the events of emails in other words, such as `email.delivered`.
  const text = name.startsWith('email.') ? 'email.' : name;
  return {
    segments: await findReferringConditions(em, projectId, 'segments', text, (condition) =>
      readsEvent(condition, name),
    ),
    workflows: await findReferringWorkflows(
      em,
      projectId,
      text,
      (step) => step.eventName === name || refersToEvent(step, name),
    ),
  };
}
