import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { v5 as uuidv5 } from 'uuid';
import { signWebhook } from '../../../core/crypto/webhook-signature.ts';
import { isStorableJson, type JsonObject, type JsonValue } from '../../../core/json-value.ts';
import type { ContactLinks } from '../../../core/public-links.ts';
import { buildVariables } from '../../../core/rendering/variables.ts';
import { withRetries } from '../../../core/with-retries.ts';
import { isActive } from '../../../core/workflows/execution-status.ts';
import { findStep, type StepOf } from '../../../core/workflows/graph.ts';
import { Contact } from '../../../db/entities/contact.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { WorkflowStepRun } from '../../../db/entities/workflow-execution.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import { endExecution } from '../../../db/statements/workflows/end-execution.ts';
import { type LockedExecution, lockExecution } from '../../../db/statements/workflows/lock-execution.ts';
import { completeStep, recordCall } from '../../../db/statements/workflows/step-runs.ts';
import type {
  OutboundHttp,
  OutboundRequest,
  OutboundResult,
} from '../../../providers/outbound/outbound-http.ts';
import type { RunStepInput } from '../../contracts/workflow-execution.ts';
import { workflowIds } from '../../contracts/workflow-ids.ts';
import { crowdedRetryMs, type RenderTurns } from '../sending/render-turns.ts';
import type { Graphs } from './graph-cache.ts';
import type { CallLimit } from './limit-calls.ts';
import { renderCall } from './render-call.ts';
import { contextFault } from './steps/context-limit.ts';
import { variablesOf } from './steps/variables.ts';

export interface WebhookCaller {
  send: OutboundHttp;
  secretsOf: (projectId: string) => Promise<readonly string[]>;
  turns: RenderTurns;
  limit: CallLimit;
  linksOf: (subject: { projectId: string; contactId: string }) => ContactLinks;
}

const callNamespace = 'b9a2b9a8-1f4e-5c0e-9d55-6a1a5f6f3c11';

/** Eight seconds: the database may be briefly unreachable, and the outcome of a call must not be lost. */
const pausesMs = [250, 500, 1_000, 2_000, 4_000];

/** Ten seconds for the call, plus a margin for its process. */
const longestCallMs = 12_000;
const pollMs = 500;

const answerLost =
  'The call was made, but its response was lost with the process that made it; it was not repeated';

/**
 * Makes the call of the execution's current WEBHOOK step and ends the step with the response. Does nothing when the
 * step or the execution is over.
 *
 * A call and the record of its response can't be atomic, so each call is recorded before it leaves. A recorded call
 * without an outcome, because its process died, may have been answered and is not repeated: the step ends without a
 * response and with an error. Known failures are retried.
 *
 * @param attempt of Temporal, from 1
 * @returns when to try again, if the call was not made because the project's work waits for its turns to render, or enough
 * calls are under way (`CallLimit`)
 * @throws ApplicationFailure, retryable unless the URL is not allowed or a template fails
 */
export async function callWebhook(
  orm: Orm,
  graphs: Graphs,
  caller: WebhookCaller,
  call: RunStepInput,
  attempt = 1,
): Promise<{ retryInMs: number } | undefined> {
  const em = orm.em.fork();
  const execution = await waitForEarlierCall(em, call);
  const step = execution && (await findWebhookStep(em, graphs, execution));
  if (execution === undefined || step === undefined) return undefined;
  const { workflowId, projectId, contactId } = execution;
  if (contactId === null) return undefined;
  const end = async (answer: CallAnswer, error?: string) => {
    await endStep(em, call, step, answer, error);
    return undefined;
  };
  if (execution.calledMsAgo !== null) return end({ statusCode: null, body: null }, answerLost);

  // Before its templates are rendered.
  const later = () => {
    // A retry first waits, so that a receiver has time to recover between its tries.
    if (attempt === 1) {
      const temporalId = workflowIds.workflowExecution(workflowId, contactId, call.executionId);
      caller.limit.putOff(projectId, temporalId, execution.enteredAt ?? undefined);
    }
    // The workflow makes it longer each time.
    return { retryInMs: crowdedRetryMs() };
  };
  if (!caller.limit.mayCall(projectId)) return later();
  const request = await buildRequest(em, caller, call, execution, step);
  if (request === 'no contact') return undefined;
  if (request === 'crowded') return { retryInMs: crowdedRetryMs() };
  let recording: Promise<boolean> | undefined;
  const send = () =>
    caller.send(request, () => {
      recording = recordCall(orm.em.fork(), call.executionId, call.visit);
      return recording;
    });
  const result = await caller.limit.run(projectId, send);
  if (result === undefined) return later();
  // A call abandoned before it left may be recorded only now.
  const isOut = await recording;
  if (result.outcome === 'withheld') return undefined;
  const answer = readAnswer(result);
  if (!(answer instanceof ApplicationFailure)) return withRetries(pausesMs, () => end(answer));
  if (isOut && !answer.nonRetryable) {
    // A cancel may have ended the step run.
    const { executionId, visit } = call;
    const open = { executionId, visit, completedAt: null };
    await withRetries(pausesMs, () => em.nativeUpdate(WorkflowStepRun, open, { calledAt: null }));
  }
  throw answer;
}

/** Returns the execution at an open step, once no other process can still be making its call. */
async function waitForEarlierCall(
  em: Em,
  { executionId, visit }: RunStepInput,
): Promise<LockedExecution | undefined> {
  for (;;) {
    const found = await em.transactional((inner) => lockExecution(inner, executionId));
    if (found === undefined || !isOpen(found, visit)) return undefined;
    const leftMs = found.calledMsAgo === null ? 0 : longestCallMs - found.calledMsAgo;
    if (leftMs <= 0) return found;
    await delay(Math.min(leftMs, pollMs));
  }
}

async function findWebhookStep(
  em: Em,
  graphs: Graphs,
  { workflowId, version, currentStepId }: LockedExecution,
): Promise<StepOf<'WEBHOOK'> | undefined> {
  const graph = await graphs(em, workflowId, version);
  const step = graph && findStep(graph, currentStepId ?? '');
  return step?.type === 'WEBHOOK' ? step : undefined;
}

async function buildRequest(
  em: Em,
  caller: WebhookCaller,
  { executionId, visit }: RunStepInput,
  execution: LockedExecution,
  step: StepOf<'WEBHOOK'>,
): Promise<OutboundRequest | 'no contact' | 'crowded'> {
  const { projectId, contactId } = execution;
  const contact =
    contactId === null ? null : await em.findOne(Contact, { id: contactId, projectId }, allProjects);
  if (contact === null) return 'no contact';
  const variables = buildVariables({
    // as: read from a jsonb column.
    contact: { ...contact, data: contact.data as JsonObject },
    links: caller.linksOf({ projectId, contactId: contact.id }),
    workflow: variablesOf(execution),
  });
  const takeTurn = () => caller.turns.takeUnlessCrowded(projectId);
  const request = await renderCall(step.config, variables, takeTurn);
  if (request === undefined) return 'crowded';
  const signature = signWebhook(await caller.secretsOf(projectId), {
    // The same for each attempt, so that the receiver can deduplicate.
    id: `msg_${uuidv5(`${executionId}/${visit}`, callNamespace)}`,
    at: new Date(),
    body: request.body ?? '',
  });
  return { ...request, headers: { ...request.headers, ...signature } };
}

async function endStep(
  em: Em,
  { executionId, visit }: RunStepInput,
  step: StepOf<'WEBHOOK'>,
  answer: CallAnswer,
  error?: string,
): Promise<void> {
  await em.transactional(async (inner) => {
    const execution = await lockExecution(inner, executionId);
    if (execution === undefined || !isOpen(execution, visit)) return;
    const context = { [step.name]: answer };
    const fault = contextFault(step.name, execution.context, context);
    if (fault === undefined) {
      await completeStep(inner, {
        executionId,
        visit,
        output: { ...answer },
        context,
        ...(error && { error }),
      });
    } else {
      await endExecution(inner, executionId, { status: 'FAILED', error: fault });
    }
  });
}

function isOpen(execution: LockedExecution, visit: number): boolean {
  return isActive(execution.status) && execution.visit === visit && execution.completedAt === null;
}

/** What a WEBHOOK step adds to the context; both are null when the response was lost. */
interface CallAnswer {
  statusCode: number | null;
  body: JsonValue;
}

type MadeCall = Exclude<OutboundResult, { outcome: 'withheld' }>;

function readAnswer(result: MadeCall): CallAnswer | ApplicationFailure {
  switch (result.outcome) {
    case 'refused':
      return ApplicationFailure.nonRetryable(result.message, 'refused');
    case 'failed':
      return ApplicationFailure.retryable(result.message, 'failed');
    case 'answered': {
      const { statusCode } = result;
      if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
        return ApplicationFailure.retryable(`The answer was ${statusCode}`, 'answered');
      }
      return { statusCode, body: parseBody(result.body) };
    }
  }
}

/** Returns parsed JSON if it can be stored, otherwise the text without NUL characters and lone surrogates. */
function parseBody(text: string): JsonValue {
  const storable = text.replaceAll('\0', '').toWellFormed();
  try {
    const parsed: JsonValue = JSON.parse(storable);
    return isStorableJson(parsed) ? parsed : storable;
  } catch {
    return storable;
  }
}
