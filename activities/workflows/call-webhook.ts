import { ApplicationFailure } from '@temporalio/activity';
import { v5 as uuidv5 } from 'uuid';
import { signWebhook } from '../../core/crypto/webhook-signature.ts';
import type { JsonObject, JsonValue } from '../../core/json-value.ts';
import { compileTemplate } from '../../core/rendering/template.ts';
import type { ContactLinks } from '../../core/rendering/variables.ts';
import { buildVariables } from '../../core/rendering/variables.ts';
import { findStep } from '../../core/workflows/graph.ts';
import type { StepConfigs } from '../../core/workflows/step-config.ts';
import type { Orm } from '../../db/orm.ts';
import { findContact } from '../../db/repositories/contacts/contacts.ts';
import {
  completeStep,
  type HeldExecution,
  holdExecution,
} from '../../db/repositories/workflows/execution-steps.ts';
import type { OutboundHttp, OutboundRequest } from '../../providers/outbound/outbound-http.ts';
import type { RunStepInput } from '../../temporal/contracts/workflow-execution.ts';
import { variablesOf } from './act.ts';
import type { Graphs } from './graph-cache.ts';

/** How calls leave this process. */
export interface WebhookCaller {
  send: OutboundHttp;
  /** The secret that signs the calls of a project. */
  secretOf: (projectId: string) => Promise<string>;
  /** Links for the templates of a call: no email carries them. */
  linksOf: (subject: { projectId: string; contactId: string }) => ContactLinks;
}

type Call = StepConfigs['WEBHOOK'];

/** Names the calls of executions; the number is arbitrary and only ours. */
const callNamespace = 'b9a2b9a8-1f4e-5c0e-9d55-6a1a5f6f3c11';

/**
 * Makes the call of the WEBHOOK step that the execution stands at, and ends the step with its answer. Nothing when the
 * step or the execution is over.
 *
 * @throws ApplicationFailure to be tried again, or not when the URL may not be called
 */
export async function callWebhook(
  orm: Orm,
  graphs: Graphs,
  caller: WebhookCaller,
  { executionId, visit }: RunStepInput,
): Promise<void> {
  const em = orm.em.fork();
  const execution = await em.transactional((inner) => holdExecution(inner, executionId));
  if (execution === undefined || !isOpen(execution, visit)) return;
  const { projectId, contactId, workflowId, version } = execution;
  const graph = await graphs(em, workflowId, version);
  const step = graph && findStep(graph, execution.currentStepId ?? '');
  const contact = contactId === null ? undefined : await findContact(em, projectId, contactId);
  if (step?.type !== 'WEBHOOK' || contact === undefined) return;

  const { event, context } = variablesOf(execution);
  const variables = buildVariables({
    // as: read from a jsonb column.
    contact: { ...contact, data: contact.data as JsonObject },
    links: caller.linksOf({ projectId, contactId: contact.id }),
    workflow: { event, context },
  });
  const request = renderCall(step.config, variables);
  const signature = signWebhook(await caller.secretOf(projectId), {
    // The same for each try, so that the receiver knows a repeat.
    id: `msg_${uuidv5(`${executionId}/${visit}`, callNamespace)}`,
    at: new Date(),
    body: request.body ?? '',
  });
  const result = await caller.send({ ...request, headers: { ...request.headers, ...signature } });
  if (result.outcome === 'refused') throw ApplicationFailure.nonRetryable(result.message, 'refused');
  if (result.outcome === 'failed') throw ApplicationFailure.retryable(result.message, 'failed');
  const { statusCode } = result;
  if (statusCode === 408 || statusCode === 429 || statusCode >= 500) {
    throw ApplicationFailure.retryable(`The answer was ${statusCode}`, 'answered');
  }
  const answer = { statusCode, body: parseBody(result.body) };
  await em.transactional(async (inner) => {
    const now = await holdExecution(inner, executionId);
    if (now === undefined || !isOpen(now, visit)) return;
    await completeStep(inner, { executionId, visit, output: answer, context: { [step.name]: answer } });
  });
}

function isOpen(execution: HeldExecution, visit: number): boolean {
  const isActive = execution.status === 'RUNNING' || execution.status === 'WAITING';
  return isActive && execution.visit === visit && execution.completedAt === null;
}

function renderCall(call: Call, variables: Readonly<Record<string, unknown>>): OutboundRequest {
  const render = (text: string) => {
    const compiled = compileTemplate(text, { kind: 'text' });
    const rendered = compiled.ok ? compiled.template.render(variables, { now: new Date() }) : undefined;
    if (rendered?.ok !== true)
      throw ApplicationFailure.nonRetryable('A template of the call cannot be rendered');
    return rendered.output;
  };
  const headers = Object.fromEntries(
    Object.entries(call.headers).map(([name, value]) => [
      name,
      render(value)
        .replace(/[^\t\x20-\x7e]+/g, ' ')
        .trim(),
    ]),
  );
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const isText = typeof call.body === 'string';
  const body =
    call.body === null || call.method === 'GET'
      ? null
      : isText
        ? render(String(call.body))
        : JSON.stringify(mapTexts(call.body, render));
  if (body !== null && !given.has('content-type'))
    headers['Content-Type'] = isText ? typeOf(body) : 'application/json';
  if (!given.has('user-agent')) headers['User-Agent'] = 'Posthaste';
  return { url: render(call.url).trim(), method: call.method, headers, body };
}

const typeOf = (body: string) => (/^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8');

function mapTexts(value: JsonValue, render: (text: string) => string): JsonValue {
  if (typeof value === 'string') return render(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, render));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [render(key), mapTexts(item, render)]),
  );
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
