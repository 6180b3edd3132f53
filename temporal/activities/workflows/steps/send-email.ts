import { newId } from '../../../../core/new-id.ts';
import type { StepOf } from '../../../../core/workflows/graph.ts';
import { queueWorkflowEmail } from '../../../../db/statements/workflows/queue-workflow-email.ts';
import { immediate, StepFailure } from './immediate.ts';
import { variablesOf } from './variables.ts';

const notVerified = 'not sent: the domain of the sender is not verified';
const beyondLimit = 'not sent: the project has reached its limit of workflow emails for this month';

export const sendEmail = immediate<StepOf<'SEND_EMAIL'>>(async ({ em, execution }, { config }) => {
  const { projectId, workflowId, contactId, hops } = execution;
  const emailId = newId();
  const queued = await queueWorkflowEmail(em, {
    emailId,
    contentId: newId(),
    projectId,
    workflowId,
    contactId,
    templateId: config.templateId,
    to: config.to,
    variables: variablesOf(execution),
    hops: hops + 1,
  });
  if (queued === 'gone') throw new StepFailure('the template or the contact is gone');
  if (queued === 'not verified') return { error: notVerified };
  if (queued === 'beyond the limit') return { error: beyondLimit };
  return { output: { emailId }, commandsInMs: queued.dueInMs };
});
