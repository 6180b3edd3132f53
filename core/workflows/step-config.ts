import type { WorkflowCondition } from '../conditions/condition.ts';
import { type ContactData, parseContactData } from '../contact-data/parse-contact-data.ts';
import type { FieldIssue } from '../errors.ts';
import { isPlainObject, type JsonValue } from '../json-value.ts';
import { parseConditionConfig } from './condition-config.ts';
import { accept, type ConfigResult, lacks, parseConfig } from './config-result.ts';
import { delayMs, stepSchemas, storedWebhookSchema, type WebhookMethod } from './step-schemas.ts';
import { findTemplateLimitFault } from './webhook-texts.ts';

export const stepTitles = {
  TRIGGER: 'Trigger',
  SEND_EMAIL: 'Send email',
  DELAY: 'Delay',
  WAIT_FOR_EVENT: 'Wait for event',
  CONDITION: 'Condition',
  WEBHOOK: 'Webhook',
  UPDATE_CONTACT: 'Update contact',
  EXIT: 'Exit',
} as const;

export type StepType = keyof typeof stepTitles;

// as: the keys of a literal.
export const stepTypes = Object.keys(stepTitles) as StepType[];

/**
 * Complete, normalized configs. Null means: `to`, the contact itself; `timeoutMs`, no limit; `body`, none; `data` and
 * `subscribed`, unchanged. The `url`, header values and all strings in the `body` of WEBHOOK are Liquid.
 */
export interface StepConfigs {
  TRIGGER: Record<never, never>;
  SEND_EMAIL: { templateId: string; to: string | null };
  DELAY: { ms: number };
  WAIT_FOR_EVENT: { eventName: string; timeoutMs: number | null };
  CONDITION: { condition: WorkflowCondition };
  WEBHOOK: {
    url: string;
    method: WebhookMethod;
    headers: Record<string, string>;
    body: JsonValue;
  };
  UPDATE_CONTACT: { data: ContactData | null; subscribed: boolean | null };
  EXIT: { reason: string | null };
}

type Parsers = {
  [T in StepType]: (raw: Record<string, unknown>, isStored: boolean) => ConfigResult<StepConfigs[T]>;
};

const parsers: Parsers = {
  TRIGGER: () => accept({}, {}),
  SEND_EMAIL: (raw) =>
    parseConfig(raw, stepSchemas.SEND_EMAIL, ({ templateId, recipient }) => {
      const missing: FieldIssue[] = [];
      if (templateId === undefined) missing.push(lacks('templateId', 'A template is required'));
      if (recipient?.type === 'CUSTOM' && recipient.email === undefined) {
        missing.push(lacks('recipient.email', 'A custom recipient requires an address'));
      }
      if (templateId === undefined || missing.length > 0) return missing;
      return { templateId, to: recipient?.type === 'CUSTOM' ? (recipient.email ?? null) : null };
    }),
  DELAY: (raw) =>
    parseConfig(raw, stepSchemas.DELAY, ({ amount, unit }) => {
      if (amount !== undefined && unit !== undefined) return { ms: delayMs(amount, unit) };
      const missing: FieldIssue[] = [];
      if (amount === undefined) missing.push(lacks('amount', 'An amount is required'));
      if (unit === undefined) missing.push(lacks('unit', 'A unit is required'));
      return missing;
    }),
  WAIT_FOR_EVENT: (raw) =>
    parseConfig(raw, stepSchemas.WAIT_FOR_EVENT, ({ eventName, timeout }) => {
      if (eventName === undefined) return [lacks('eventName', 'The name of an event is required')];
      const timeoutMs = timeout === undefined ? null : Math.max(1, Math.round(timeout * 1000));
      return { eventName, timeoutMs };
    }),
  CONDITION: parseConditionConfig,
  WEBHOOK(raw, isStored) {
    // Checked before anything is compiled. A stored config older than the limit fails at its call instead.
    const fault = isStored ? undefined : findTemplateLimitFault(raw);
    if (fault !== undefined) {
      return { ok: false, issues: [{ field: 'config', message: fault, code: 'too_big' }] };
    }
    const schema = isStored ? storedWebhookSchema : stepSchemas.WEBHOOK;
    return parseConfig(raw, schema, ({ url, method = 'POST', headers = {}, body = null }) =>
      url === undefined ? [lacks('url', 'A URL is required')] : { url, method, headers, body },
    );
  },
  UPDATE_CONTACT(raw) {
    const parsed = raw.data === undefined ? undefined : parseContactData(raw.data, 'config.data');
    const result = parseConfig(raw, stepSchemas.UPDATE_CONTACT, ({ data, subscribed = null }) => {
      const isEmpty = typeof data !== 'object' || data === null || Object.keys(data).length === 0;
      if (isEmpty && subscribed === null) return [lacks('data', 'Something to change is required')];
      return { data: parsed?.ok ? parsed.data : null, subscribed };
    });
    if (parsed?.ok !== false) return result;
    return { ok: false, issues: [...parsed.issues, ...(result.ok ? [] : result.issues)] };
  },
  EXIT: (raw) => parseConfig(raw, stepSchemas.EXIT, ({ reason = null }) => ({ reason })),
};

/**
 * Validates a step's config and determines what it lacks to run. Drops unknown keys; null counts as omitted.
 *
 * @returns the config to store, with `ready` when nothing is `missing`; or all issues
 */
export function parseStepConfig<T extends StepType>(type: T, raw: unknown): ConfigResult<StepConfigs[T]> {
  return parse(type, raw, false);
}

/** Like `parseStepConfig` for an already accepted config: does not compile its Liquid again. */
export function parseStoredConfig<T extends StepType>(
  type: T,
  stored: unknown,
): ConfigResult<StepConfigs[T]> {
  return parse(type, stored, true);
}

function parse<T extends StepType>(type: T, raw: unknown, isStored: boolean): ConfigResult<StepConfigs[T]> {
  if (!isPlainObject(raw)) {
    return { ok: false, issues: [{ field: 'config', message: 'Expected an object', code: 'invalid_type' }] };
  }
  const sent = Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => value !== null && key !== '__proto__'),
  );
  return parsers[type](sent, isStored);
}

export function templateIdOf(type: StepType, config: Record<string, unknown>): string | null {
  return type === 'SEND_EMAIL' && typeof config.templateId === 'string' ? config.templateId : null;
}
