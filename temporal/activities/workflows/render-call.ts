import { ApplicationFailure } from '@temporalio/activity';
import type { JsonValue } from '../../../core/json-value.ts';
import { RenderBudget } from '../../../core/rendering/render-budget.ts';
import { compileTemplate } from '../../../core/rendering/template.ts';
import type { StepConfigs } from '../../../core/workflows/step-config.ts';
import { findTemplateLimitFault, hasTemplate, isTemplate } from '../../../core/workflows/webhook-texts.ts';
import type { OutboundRequest } from '../../../providers/outbound/outbound-http.ts';
import type { RenderTurn } from '../sending/render-turns.ts';

type Render = (text: string) => Promise<string>;

/**
 * Builds the request of a WEBHOOK step. All its templates share one turn of the project and the budget of one email.
 *
 * @param takeTurn called if the call has templates; undefined when the project is crowded
 * @returns undefined without a turn
 * @throws ApplicationFailure, not retryable, when there are too many templates, they are too long, one does not parse
 * or they exceed the budget
 */
export async function renderCall(
  call: StepConfigs['WEBHOOK'],
  variables: Readonly<Record<string, unknown>>,
  takeTurn: () => Promise<RenderTurn | undefined>,
): Promise<OutboundRequest | undefined> {
  const fault = findTemplateLimitFault(call);
  if (fault !== undefined) throw ApplicationFailure.nonRetryable(fault);
  if (!hasTemplate(call)) return renderTextsOf(call, async (text) => text);
  const turn = await takeTurn();
  if (turn === undefined) return undefined;
  try {
    return await renderTextsOf(call, createRender(variables, turn));
  } finally {
    turn.end();
  }
}

async function renderTextsOf(call: StepConfigs['WEBHOOK'], render: Render): Promise<OutboundRequest> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(call.headers)) {
    headers[name] = (await render(value)).replace(/[^\t\x20-\x7e]+/g, ' ').trim();
  }
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const body = call.method === 'GET' ? null : await renderBody(call.body, render);
  if (body !== null && !given.has('content-type')) {
    headers['Content-Type'] = typeof call.body === 'string' ? typeOf(body) : 'application/json';
  }
  if (!given.has('user-agent')) headers['User-Agent'] = 'Posthaste';
  return { url: (await render(call.url)).trim(), method: call.method, headers, body };
}

function createRender(variables: Readonly<Record<string, unknown>>, turn: RenderTurn): Render {
  const budget = new RenderBudget();
  const now = new Date();
  const renderNow = (text: string) => {
    const compiled = compileTemplate(text, 'text');
    return compiled.ok ? compiled.template.render(variables, { now, budget }) : undefined;
  };
  let isFirst = true;
  return async (text) => {
    if (!isTemplate(text)) return text;
    if (!isFirst || turn.mustPause()) await turn.pause();
    isFirst = false;
    const rendered = turn.render(() => budget.turn(() => renderNow(text)));
    if (rendered?.ok === true) return rendered.output;
    const limit = rendered && `The templates of the call exceed the ${rendered.limit} limit of a rendering`;
    throw ApplicationFailure.nonRetryable(limit ?? 'A template of the call does not parse');
  };
}

async function renderBody(body: JsonValue, render: Render): Promise<string | null> {
  if (body === null) return null;
  return typeof body === 'string' ? render(body) : JSON.stringify(await renderTexts(body, render));
}

async function renderTexts(value: JsonValue, render: Render): Promise<JsonValue> {
  if (typeof value === 'string') return render(value);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) items.push(await renderTexts(item, render));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    entries.push([await render(key), await renderTexts(item, render)]);
  }
  return Object.fromEntries(entries);
}

const typeOf = (body: string) => (/^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8');
