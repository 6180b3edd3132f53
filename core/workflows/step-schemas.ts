import { z } from 'zod';
import { emailAddressSchema } from '../addresses/email-address.ts';
import { idSchema } from '../id-schema.ts';
import { isStorableText, type JsonValue, jsonByteLength, unstorableText } from '../json-value.ts';
import { limitedRecord } from '../limited-record.ts';
import { compileTemplate } from '../rendering/template.ts';
import { findEventNameFormIssue } from '../reserved-events.ts';
import { refusal, reportIssue } from '../zod-issues.ts';
import { isTemplate, textsOf } from './webhook-texts.ts';

const msPerUnit = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
type DelayUnit = keyof typeof msPerUnit;

const delayUnits = ['minutes', 'hours', 'days'] as const satisfies DelayUnit[];

const webhookMethods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

const maxDelayMs = 365 * msPerUnit.days;
const maxTimeoutSeconds = 3_650 * 86_400;
const maxUrlLength = 2_048;
const maxHeaders = 50;
const maxHeaderLength = 4_096;
const maxWebhookBodyBytes = 64 * 1024;
const maxReasonLength = 255;

const ownHeaders =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|webhook-.*)$/i;

export function delayMs(amount: number, unit: DelayUnit): number {
  return Math.max(1, Math.round(amount * msPerUnit[unit]));
}

export const listenedEventSchema = z.string().check((context) => {
  const issue = findEventNameFormIssue(context.value);
  if (issue) reportIssue(context, issue.message, issue.code);
});

type TextCheck = (text: string) => { message: string; code: string } | undefined;

const findLiquidFault: TextCheck = (text) => {
  if (!isStorableText(text)) return { message: unstorableText, code: 'invalid_string' };
  const compiled = isTemplate(text) ? compileTemplate(text, 'text') : undefined;
  if (compiled?.ok !== false) return undefined;
  const { line, column, message } = compiled.error;
  return { message: `Liquid, line ${line}, column ${column}: ${message}`, code: 'invalid_template' };
};

const isUrl = (context: z.core.ParsePayload<string>): void => {
  const looksRight = isTemplate(context.value)
    ? /^\s*(?:https?:\/\/|\{)/i.test(context.value)
    : isHttpUrl(context.value);
  if (!looksRight) reportIssue(context, 'Expected an http or https URL', 'invalid_string');
};

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

const areHeaders = (context: z.core.ParsePayload<Record<string, string>>): void => {
  const names = Object.keys(context.value);
  for (const name of names) {
    const path = [name];
    if (!/^[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,200}$/.test(name)) {
      reportIssue(context, 'Not a valid header name', 'invalid_string', path);
    } else if (ownHeaders.test(name)) {
      reportIssue(context, 'This header is set by the service', 'invalid_value', path);
    } else if (/[\r\n\0]/.test(context.value[name] ?? '')) {
      reportIssue(context, 'A header is one line', 'invalid_string', path);
    }
  }
};

/** Only one of two would be sent: HTTP ignores the case of names. */
const isEachHeaderOnce = (
  context: z.core.ParsePayload<{ headers?: Record<string, string> | undefined }>,
): void => {
  const seen = new Set<string>();
  for (const name of Object.keys(context.value.headers ?? {})) {
    if (seen.has(name.toLowerCase())) {
      reportIssue(context, `The header ${name} is given twice`, 'duplicate_header', ['headers', name]);
    }
    seen.add(name.toLowerCase());
  }
};

const webhookSchema = (findFault: TextCheck) => {
  const liquid = (context: z.core.ParsePayload<string>): void => {
    const fault = findFault(context.value);
    if (fault) reportIssue(context, fault.message, fault.code);
  };
  // JSON already, from a request or the database: `z.json()` would take a tenth of a second for one with many members.
  const body = z.custom<JsonValue>().check((context) => {
    if (jsonByteLength(context.value) > maxWebhookBodyBytes) {
      reportIssue(context, `At most ${maxWebhookBodyBytes / 1024} KB are accepted`, 'too_big');
      return;
    }
    const faults = textsOf(context.value)
      .map(findFault)
      .filter((fault) => fault !== undefined);
    for (const { message, code } of faults.slice(0, 1)) reportIssue(context, message, code);
  });
  return z.object({
    url: z.string().max(maxUrlLength).check(liquid, isUrl).optional(),
    method: z.enum(webhookMethods).optional(),
    headers: limitedRecord(
      z.string().max(maxHeaderLength).check(liquid),
      maxHeaders,
      `At most ${maxHeaders} headers are accepted`,
    )
      .check(areHeaders)
      .optional(),
    body: body.optional(),
  });
};

export const stepSchemas = {
  SEND_EMAIL: z.object({
    templateId: idSchema.optional(),
    recipient: z
      .object({ type: z.enum(['CONTACT', 'CUSTOM']), email: emailAddressSchema.optional() })
      .optional(),
  }),
  DELAY: z
    .object({ amount: z.number().positive().optional(), unit: z.enum(delayUnits).optional() })
    .check((context) => {
      const { amount, unit } = context.value;
      if (amount !== undefined && unit !== undefined && amount * msPerUnit[unit] > maxDelayMs) {
        reportIssue(context, 'Expected at most 365 days', 'too_big', ['amount']);
      }
    }),
  WAIT_FOR_EVENT: z.object({
    eventName: listenedEventSchema.optional(),
    timeout: z.number().positive().max(maxTimeoutSeconds, 'Expected at most 3,650 days').optional(),
  }),
  UPDATE_CONTACT: z.object({ data: z.unknown().optional(), subscribed: z.boolean().optional() }),
  WEBHOOK: webhookSchema(findLiquidFault).check(isEachHeaderOnce),
  EXIT: z.object({
    reason: z.string().max(maxReasonLength).refine(isStorableText, refusal(unstorableText)).optional(),
  }),
};

/**
 * Like `stepSchemas.WEBHOOK` for accepted configs: skips compiling the Liquid, which is slow. Older ones may have a header
 * twice.
 */
export const storedWebhookSchema = webhookSchema(() => undefined);
