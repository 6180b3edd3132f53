import type { WorkflowCondition } from '../../core/conditions/condition.ts';
import { settleVariables } from '../../core/conditions/settle-variables.ts';
import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import type { Step } from '../../core/workflows/graph.ts';
import { brokenConstraint } from '../../db/batching/is-rolled-back.ts';
import { conditionAudience } from '../../db/conditions/audience.ts';
import { bindInto } from '../../db/conditions/bind.ts';
import type { Em } from '../../db/orm.ts';
import { patchContact } from '../../db/repositories/contacts/write-contacts.ts';
import type { HeldExecution, StepEnd } from '../../db/repositories/workflows/execution-steps.ts';
import { queueWorkflowEmail } from '../../db/repositories/workflows/workflow-emails.ts';
import { sql } from '../../db/sql.ts';
import type { StepTraces } from './step-traces.ts';

/** A step that can't be done, and would not be another time either; the message is for the marketer to read. */
export class StepFailure extends Error {}

const beyondLimit = 'not sent: the project has reached its limit of workflow emails for this month';

type ActingStep = Extract<Step, { type: 'SEND_EMAIL' | 'CONDITION' | 'UPDATE_CONTACT' }>;
type Execution = HeldExecution & { contactId: string };
type Done = Pick<StepEnd, 'branch' | 'output' | 'error'> & Partial<Pick<StepTraces, 'commandsInMs'>>;

/**
 * Does what a step does that is over at once, in the transaction that enters it.
 * @throws StepFailure
 */
export function act(em: Em, execution: Execution, step: ActingStep): Promise<Done> {
  switch (step.type) {
    case 'SEND_EMAIL':
      return sendEmail(em, execution, step.config);
    case 'CONDITION':
      return decide(em, execution, step.config.condition);
    case 'UPDATE_CONTACT':
      return updateContact(em, execution, step.config);
  }
}

/** What templates and conditions of the execution can read besides the contact. */
export function variablesOf({ event, context }: Pick<HeldExecution, 'event' | 'context'>): {
  event: JsonObject;
  context: JsonObject;
} {
  // as: both are read from jsonb columns.
  return { event: event as JsonObject, context: context as JsonObject };
}

async function sendEmail(
  em: Em,
  execution: Execution,
  { templateId, to }: { templateId: string; to: string | null },
): Promise<Done> {
  const { projectId, workflowId, contactId, hops } = execution;
  const emailId = newId();
  const queued = await queueWorkflowEmail(em, {
    emailId,
    contentId: newId(),
    projectId,
    workflowId,
    contactId,
    templateId,
    to,
    variables: variablesOf(execution),
    hops: hops + 1,
  });
  if (queued === 'gone') throw new StepFailure('the template or the contact is gone');
  if (queued === 'beyond the limit') return { error: beyondLimit };
  return { output: { emailId }, commandsInMs: queued.dueInMs };
}

async function decide(em: Em, execution: Execution, condition: WorkflowCondition): Promise<Done> {
  const now = new Date();
  const settled = settleVariables(condition, variablesOf(execution), now);
  const isMet =
    typeof settled === 'boolean'
      ? settled
      : await (async () => {
          const audience = await conditionAudience(em, execution.projectId, settled);
          const parameters: unknown[] = [execution.projectId, execution.contactId];
          const where = audience.where(now, bindInto(parameters), 'few');
          const text = `select 1 from contacts c where c.project_id = $1 and c.id = $2 and ${where}`;
          return (await sql(em, text, parameters)).length > 0;
        })();
  return { branch: isMet ? 'yes' : 'no', output: { branch: isMet ? 'yes' : 'no' } };
}

async function updateContact(
  em: Em,
  { projectId, workflowId, contactId, hops }: Execution,
  { data, subscribed }: { data: ContactData | null; subscribed: boolean | null },
): Promise<Done> {
  try {
    // A savepoint: a patch that is refused must not take the step run with it.
    await em.transactional((inner) =>
      patchContact(inner, {
        projectId,
        id: contactId,
        email: undefined,
        subscribed: subscribed ?? undefined,
        patch: { ...data?.set, ...Object.fromEntries((data?.remove ?? []).map((key) => [key, null])) },
        flipId: newId(),
        occurredAt: new Date(),
        by: { workflowId, hops: hops + 1 },
      }),
    );
  } catch (error) {
    if (brokenConstraint(error) !== 'contacts_data_size') throw error;
    throw new StepFailure('the data of the contact would grow beyond 64 KB');
  }
  // What hears of a change of the subscription begins at once.
  return subscribed === null ? {} : { commandsInMs: 0 };
}
