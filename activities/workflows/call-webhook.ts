import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { v5 as uuidv5 } from 'uuid';
import { signWebhook } from '../../core/crypto/webhook-signature.ts';
import type { JsonObject, JsonValue } from '../../core/json-value.ts';
import type { ContactLinks } from '../../core/rendering/variables.ts';
import { buildVariables } from '../../core/rendering/variables.ts';
import { findStep } from '../../core/workflows/graph.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { findContact } from '../../db/repositories/contacts/contacts.ts';
import {
  completeStep,
  endExecution,
  type HeldExecution,
  holdExecution,
} from '../../db/repositories/workflows/execution-steps.ts';
import { noteCall, noteFailedCall } from '../../db/repositories/workflows/webhook-calls.ts';
import type { OutboundHttp, OutboundResult } from '../../providers/outbound/outbound-http.ts';
import type { RunStepInput } from '../../temporal/contracts/workflow-execution.ts';
import { variablesOf } from './act.ts';
import { contextFault } from './context-limit.ts';
import type { Graphs } from './graph-cache.ts';
import { renderCall } from './render-call.ts';

/** How calls leave this process. */
export interface WebhookCaller {
  send: OutboundHttp;
  /** The secrets that sign the calls of a project. */
  secretsOf: (projectId: string) => Promise<readonly string[]>;
  /** Links for the templates of a call: no email carries them. */
  linksOf: (subject: { projectId: string; contactId: string }) => ContactLinks;
}

/** Names the calls of executions; the number is arbitrary and only ours. */
const callNamespace = 'b9a2b9a8-1f4e-5c0e-9d55-6a1a5f6f3c11';

/** A call is over after that: the ten seconds that it may take, and some for the one who makes it. */
const longestCallMs = 12_000;
const lookEveryMs = 500;

/**
 * Makes the call of the WEBHOOK step that the execution stands at, and ends the step with its answer. Nothing when the
 * step or the execution is over.
 *
 * A call and the record of its answer can't be one, so that each call is noted before it leaves: one that was noted and
 * has no outcome, because whoever made it died, may have been answered, and is not made again. The step ends without an
 * answer then, and says so. What is known to have failed is tried again.
 *
 * @throws ApplicationFailure to be tried again, or not when the URL may not be called
 */
export async function callWebhook(
  orm: Orm,
  graphs: Graphs,
  caller: WebhookCaller,
  call: RunStepInput,
): Promise<void> {
  const em = orm.em.fork();
  const execution = await holdUncalled(em, call);
  if (execution === undefined) return;
  const { projectId, contactId, workflowId, version } = execution;
  const graph = await graphs(em, workflowId, version);
  const step = graph && findStep(graph, execution.currentStepId ?? '');
  const contact = contactId === null ? undefined : await findContact(em, projectId, contactId);
  if (step?.type !== 'WEBHOOK' || contact === undefined) return;
  const end = (answer: { statusCode: number | null; body: JsonValue }, error?: string) =>
    em.transactional(async (inner) => {
      const now = await holdExecution(inner, call.executionId);
      if (now === undefined || !isOpen(now, call.visit)) return;
      const context = { [step.name]: answer };
      const fault = contextFault(step.name, now.context, context);
      if (fault !== undefined) {
        await endExecution(inner, call.executionId, { status: 'FAILED', error: fault });
        return;
      }
      await completeStep(inner, { ...call, output: answer, context, error });
    });
  if (execution.calledMsAgo !== null) return end({ statusCode: null, body: null }, answerLost);

  const { event, context } = variablesOf(execution);
  const variables = buildVariables({
    // as: read from a jsonb column.
    contact: { ...contact, data: contact.data as JsonObject },
    links: caller.linksOf({ projectId, contactId: contact.id }),
    workflow: { event, context },
  });
  const request = await renderCall(step.config, variables);
  const signature = signWebhook(await caller.secretsOf(projectId), {
    // The same for each try, so that the receiver knows a repeat.
    id: `msg_${uuidv5(`${call.executionId}/${call.visit}`, callNamespace)}`,
    at: new Date(),
    body: request.body ?? '',
  });
  let noted: Promise<boolean> | undefined;
  const result = await caller.send({ ...request, headers: { ...request.headers, ...signature } }, () => {
    noted = noteCall(orm.em.fork(), call);
    return noted;
  });
  // One that is given up before it left may be noted only now.
  const isOut = await noted;
  if (result.outcome === 'withheld') return;
  if (result.outcome === 'refused') throw ApplicationFailure.nonRetryable(result.message, 'refused');
  const failure = failureOf(result);
  if (failure === undefined && result.outcome === 'answered') {
    const answer = { statusCode: result.statusCode, body: parseBody(result.body) };
    return persistently(() => end(answer));
  }
  if (isOut) await persistently(() => noteFailedCall(em, call));
  throw failure;
}

const answerLost =
  'The call was made, and its answer was lost with the process that made it; it was not made again';

/** The execution at an open step, once no other process can be in the middle of its call. */
async function holdUncalled(
  em: Em,
  { executionId, visit }: RunStepInput,
): Promise<HeldExecution | undefined> {
  const hold = async () => {
    const found = await em.transactional((inner) => holdExecution(inner, executionId));
    return found !== undefined && isOpen(found, visit) ? found : undefined;
  };
  for (;;) {
    const found = await hold();
    const leftMs = found?.calledMsAgo == null ? 0 : longestCallMs - found.calledMsAgo;
    if (leftMs <= 0) return found;
    await delay(Math.min(leftMs, lookEveryMs));
  }
}

/** Why a call is to be made again; undefined for an answer that counts. */
function failureOf(result: Exclude<OutboundResult, { outcome: 'withheld' | 'refused' }>) {
  if (result.outcome === 'failed') return ApplicationFailure.retryable(result.message, 'failed');
  const { statusCode } = result;
  if (statusCode !== 408 && statusCode !== 429 && statusCode < 500) return undefined;
  return ApplicationFailure.retryable(`The answer was ${statusCode}`, 'answered');
}

/** The database may be away for a moment, and what is known of a call is worth more than that. */
async function persistently(record: () => Promise<void>): Promise<void> {
  for (const pauseMs of [250, 500, 1_000, 2_000, 4_000]) {
    try {
      return await record();
    } catch {
      await delay(pauseMs);
    }
  }
  return record();
}

function isOpen(execution: HeldExecution, visit: number): boolean {
  const isActive = execution.status === 'RUNNING' || execution.status === 'WAITING';
  return isActive && execution.visit === visit && execution.completedAt === null;
}

/** As JSON when it is JSON that the database can keep. */
function parseBody(text: string): JsonValue {
  const storable = text.replaceAll('\0', '').toWellFormed();
  try {
    const parsed: JsonValue = JSON.parse(storable);
    return JSON.stringify(parsed).includes('\\u0000') ? storable : parsed;
  } catch {
    return storable;
  }
}
