import { DomainError } from '../../core/errors.ts';
import type { Workflow } from '../../db/entities/workflow.ts';
import { EventListener, everyContact } from '../../db/entities/workflow-execution.ts';
import type { Em } from '../../db/orm.ts';

/** An event starts all of them within the statement that writes it, with the events of other projects. */
const mostPerEvent = 50;

/**
 * Makes the workflow listen to its event while enabled, and to nothing otherwise.
 * @param previousEvent the event it may have listened to before
 * @throws DomainError `CONFLICT` when too many enabled workflows start with the event
 */
export async function syncListener(em: Em, workflow: Workflow, previousEvent: string): Promise<void> {
  const { id, projectId } = workflow;
  const eventName = workflow.listensTo();
  const listeners = await em.find(EventListener, {
    projectId,
    eventName: { $in: [previousEvent, workflow.eventName] },
    contactId: everyContact,
    id,
  });
  for (const listener of listeners) if (listener.eventName !== eventName) em.remove(listener);
  if (eventName === undefined || listeners.some((listener) => listener.eventName === eventName)) return;
  await requireRoom(em, projectId, eventName);
  em.create(EventListener, { projectId, eventName, contactId: everyContact, id, workflowId: id });
}

/** Concurrent calls may exceed the limit by a few. */
async function requireRoom(em: Em, projectId: string, eventName: string): Promise<void> {
  const others = await em.count(EventListener, { projectId, eventName, contactId: everyContact });
  if (others < mostPerEvent) return;
  throw new DomainError(
    'CONFLICT',
    `At most ${mostPerEvent} enabled workflows may start with the same event`,
    {
      details: { limit: mostPerEvent, eventName },
      suggestion: 'Disable one of them first, or combine several into one with CONDITION steps.',
    },
  );
}
