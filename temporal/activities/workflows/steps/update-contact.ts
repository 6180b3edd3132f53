import { toPatch } from '../../../../core/contact-data/contact-patch.ts';
import type { StepOf } from '../../../../core/workflows/graph.ts';
import { brokenConstraint } from '../../../../db/database-errors.ts';
import { patchContact } from '../../../../db/statements/contacts/patch-contact.ts';
import { immediate, StepFailure } from './immediate.ts';

export const updateContact = immediate<StepOf<'UPDATE_CONTACT'>>(async ({ em, execution }, { config }) => {
  const { projectId, workflowId, contactId, hops } = execution;
  const { data, subscribed } = config;
  try {
    // In a savepoint: the step run is written even if the patch is rejected.
    await em.transactional((inner) =>
      patchContact(inner, {
        projectId,
        id: contactId,
        email: undefined,
        subscribed: subscribed ?? undefined,
        patch: toPatch(data),
        occurredAt: new Date(),
        by: { workflowId, hops: hops + 1 },
      }),
    );
  } catch (error) {
    if (brokenConstraint(error) !== 'contacts_data_size') throw error;
    throw new StepFailure('the data of the contact would grow beyond 64 KB');
  }
  // A changed subscription may start executions, whose commands are due immediately.
  return subscribed === null ? { journal: true } : { journal: true, commandsInMs: 0 };
});
