import type { WorkflowCondition } from '../conditions/condition.ts';
import type { ContactData } from '../contact-data/parse-contact-data.ts';
import type { FieldIssue } from '../errors.ts';
import type { JsonValue } from '../json-value.ts';
import { parseConditionConfig } from './condition-config.ts';
import { accept, type ConfigResult, lacks, parseShape } from './config-result.ts';
import { delayMs, stepSchemas, storedWebhookSchema } from './step-schemas.ts';
import { parseUpdateConfig } from './update-config.ts';
import { findTemplateCountFault } from './webhook-texts.ts';

/** Every type of a step; the first one is there from the start, once, and can't be added. */
export const stepTypes = [
  'TRIGGER',
  'SEND_EMAIL',
  'DELAY',
  'WAIT_FOR_EVENT',
  'CONDITION',
  'WEBHOOK',
  'UPDATE_CONTACT',
  'EXIT',
] as const;

export type StepType = (typeof stepTypes)[number];

export const webhookMethods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

/** What each type of step needs to run: its config once it is complete, in one form. */
export interface StepConfigs {
  TRIGGER: Record<never, never>;
  /** `to` is a normalised address; null for the contact itself. */
  SEND_EMAIL: { templateId: string; to: string | null };
  DELAY: { ms: number };
  /** Without a timeout (null) it waits for ever. */
  WAIT_FOR_EVENT: { eventName: string; timeoutMs: number | null };
  CONDITION: { condition: WorkflowCondition };
  /**
   * `url` and the values of `headers` are Liquid. So is `body` when it is a text; any other JSON has Liquid in its
   * texts and goes out as JSON. Null: no body.
   */
  WEBHOOK: {
    url: string;
    method: (typeof webhookMethods)[number];
    headers: Record<string, string>;
    body: JsonValue;
  };
  /** Null: stays as it is. `data` was parsed by the rules for `data`. */
  UPDATE_CONTACT: { data: ContactData | null; subscribed: boolean | null };
  EXIT: { reason: string | null };
}

type Parsers = {
  [T in StepType]: (
    raw: Record<string, unknown>,
    path: string,
    isStored: boolean,
  ) => ConfigResult<StepConfigs[T]>;
};

const parsers: Parsers = {
  TRIGGER: () => accept({}, {}),
  SEND_EMAIL(raw, path) {
    const shape = parseShape(stepSchemas.SEND_EMAIL, raw, path);
    if (!shape.ok) return shape;
    const { templateId, recipient } = shape.config;
    const missing: FieldIssue[] = [];
    if (templateId === undefined) missing.push(lacks(path, 'templateId', 'A template is required'));
    if (recipient?.type === 'CUSTOM' && recipient.email === undefined) {
      missing.push(lacks(path, 'recipient.email', 'A custom recipient needs an address'));
    }
    if (templateId === undefined || missing.length > 0) return { ...shape, missing };
    const to = recipient?.type === 'CUSTOM' ? (recipient.email ?? null) : null;
    return accept(shape.config, { templateId, to });
  },
  DELAY(raw, path) {
    const shape = parseShape(stepSchemas.DELAY, raw, path);
    if (!shape.ok) return shape;
    const { amount, unit } = shape.config;
    if (amount !== undefined && unit !== undefined) {
      return accept(shape.config, { ms: delayMs(amount, unit) });
    }
    const missing: FieldIssue[] = [];
    if (amount === undefined) missing.push(lacks(path, 'amount', 'An amount is required'));
    if (unit === undefined) missing.push(lacks(path, 'unit', 'A unit is required'));
    return { ...shape, missing };
  },
  WAIT_FOR_EVENT(raw, path) {
    const shape = parseShape(stepSchemas.WAIT_FOR_EVENT, raw, path);
    if (!shape.ok) return shape;
    const { eventName, timeout } = shape.config;
    if (eventName === undefined) {
      return { ...shape, missing: [lacks(path, 'eventName', 'The name of an event is required')] };
    }
    const timeoutMs = timeout === undefined ? null : Math.max(1, Math.round(timeout * 1000));
    return accept(shape.config, { eventName, timeoutMs });
  },
  CONDITION: parseConditionConfig,
  WEBHOOK(raw, path, isStored) {
    // Before anything is compiled. One that was stored before there was a bound fails when it is to be called.
    const fault = isStored ? undefined : findTemplateCountFault(raw);
    if (fault !== undefined) return { ok: false, issues: [{ field: path, message: fault, code: 'too_big' }] };
    const shape = parseShape(isStored ? storedWebhookSchema : stepSchemas.WEBHOOK, raw, path);
    if (!shape.ok) return shape;
    const { url, method = 'POST', headers = {}, body = null } = shape.config;
    if (url === undefined) return { ...shape, missing: [lacks(path, 'url', 'A URL is required')] };
    return accept(shape.config, { url, method, headers, body });
  },
  UPDATE_CONTACT: parseUpdateConfig,
  EXIT(raw, path) {
    const shape = parseShape(stepSchemas.EXIT, raw, path);
    return shape.ok ? accept(shape.config, { reason: shape.config.reason ?? null }) : shape;
  },
};

/**
 * Checks the config of a step: its shape on saving, and what it still lacks before it can run. Unknown keys are
 * dropped, and null counts as left out.
 *
 * @param path where the config stands in the request
 * @returns the config to keep, as it was sent, with `ready` when nothing is `missing`; or every issue of its shape
 */
export function parseStepConfig<T extends StepType>(
  type: T,
  raw: unknown,
  path = 'config',
): ConfigResult<StepConfigs[T]> {
  return parseConfig(type, raw, path, false);
}

/** As `parseStepConfig`, for a config that it has accepted before: the Liquid in it is not compiled again. */
export function parseStoredConfig<T extends StepType>(
  type: T,
  stored: unknown,
): ConfigResult<StepConfigs[T]> {
  return parseConfig(type, stored, 'config', true);
}

function parseConfig<T extends StepType>(
  type: T,
  raw: unknown,
  path: string,
  isStored: boolean,
): ConfigResult<StepConfigs[T]> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { ok: false, issues: [{ field: path, message: 'Expected an object', code: 'invalid_type' }] };
  }
  const sent = Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => value !== null && key !== '__proto__'),
  );
  return parsers[type](sent, path, isStored);
}

/** The template that a config names, for the reference beside it. */
export function templateIdOf(type: StepType, config: Record<string, unknown>): string | null {
  return type === 'SEND_EMAIL' && typeof config.templateId === 'string' ? config.templateId : null;
}
