import type { Workflow } from '../../db/entities/workflow.ts';
import { EventListener, everyContact } from '../../db/entities/workflow-execution.ts';
import type { Em } from '../../db/orm.ts';

/**
 * Makes the workflow listen to its event while enabled, and to nothing otherwise.
 * @param previousEvent the event it may have listened to before
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
  em.create(EventListener, { projectId, eventName, contactId: everyContact, id, workflowId: id });
}
