import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unreadable } from '../testing/unreadable.ts';
import { parseStepConfig, parseStoredConfig, type StepType, stepTypes } from './step-config.ts';

const id = '0190A000-0000-7000-8000-00000000000A';
/** Each as long as it may be. */
const longHeaders = Object.fromEntries(
  Array.from({ length: 17 }, (_, n) => [`X-${n}`, '{{ a }}'.padEnd(4_096, '-')]),
);

function readyOf(type: StepType, config: object): unknown {
  const parsed = parseStepConfig(type, config);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.ready ?? parsed.missing.map(({ field }) => field);
}

describe('the config of a step', () => {
  it.each<[StepType, object, object]>([
    ['TRIGGER', {}, {}],
    ['SEND_EMAIL', { templateId: id }, { templateId: id.toLowerCase(), to: null }],
    [
      'SEND_EMAIL',
      { templateId: id, recipient: { type: 'CUSTOM', email: 'Boss@Example.com' } },
      { templateId: id.toLowerCase(), to: 'boss@example.com' },
    ],
    [
      'SEND_EMAIL',
      { templateId: id, recipient: { type: 'CONTACT', email: 'x@example.com' } },
      { templateId: id.toLowerCase(), to: null },
    ],
    ['DELAY', { amount: 1.5, unit: 'hours' }, { ms: 5_400_000 }],
    ['DELAY', { amount: 365, unit: 'days' }, { ms: 31_536_000_000 }],
    [
      'WAIT_FOR_EVENT',
      { eventName: 'email.open', timeout: null },
      { eventName: 'email.open', timeoutMs: null },
    ],
    ['WAIT_FOR_EVENT', { eventName: 'order', timeout: 0.5 }, { eventName: 'order', timeoutMs: 500 }],
    [
      'WEBHOOK',
      { url: 'https://example.com/{{ id }}' },
      { url: 'https://example.com/{{ id }}', method: 'POST', headers: {}, body: null },
    ],
    [
      'WEBHOOK',
      {
        url: '{{ data.hook }}',
        method: 'PUT',
        headers: { 'X-Plan': '{{ plan }}' },
        body: { a: ['{{ id }}', 1] },
      },
      {
        url: '{{ data.hook }}',
        method: 'PUT',
        headers: { 'X-Plan': '{{ plan }}' },
        body: { a: ['{{ id }}', 1] },
      },
    ],
    ['UPDATE_CONTACT', { subscribed: false }, { data: null, subscribed: false }],
    [
      'UPDATE_CONTACT',
      { data: { plan: 'pro', old: null } },
      { data: { set: { plan: 'pro' }, remove: ['old'] }, subscribed: null },
    ],
    ['EXIT', { reason: 'bought' }, { reason: 'bought' }],
    ['EXIT', {}, { reason: null }],
    [
      'CONDITION',
      { field: 'event.total', operator: 'greaterThan', value: 5 },
      { condition: { logic: 'AND', groups: [{ filters: [{ predicate: { subject: 'variable' } }] }] } },
    ],
  ])('%s %j is ready', (type, config, ready) => {
    expect(readyOf(type, config)).toMatchObject(ready);
  });

  it.each<[StepType, object, string[]]>([
    ['SEND_EMAIL', {}, ['config.templateId']],
    ['SEND_EMAIL', { recipient: { type: 'CUSTOM' } }, ['config.templateId', 'config.recipient.email']],
    ['DELAY', {}, ['config.amount', 'config.unit']],
    ['WAIT_FOR_EVENT', { timeout: 60 }, ['config.eventName']],
    ['WEBHOOK', { method: 'GET' }, ['config.url']],
    ['UPDATE_CONTACT', { data: {} }, ['config.data']],
    ['CONDITION', {}, ['config.groups']],
    ['CONDITION', { field: 'data.plan' }, ['config.operator']],
    ['CONDITION', { field: 'data.plan', operator: 'equals' }, ['config.value']],
    ['CONDITION', { logic: 'AND', groups: [] }, ['config.groups']],
    ['CONDITION', { logic: 'OR', groups: [{ filters: [{}] }] }, ['config.groups.0.filters.0.field']],
    ['CONDITION', { logic: 'OR', groups: [{}] }, ['config.groups.0']],
  ])('%s %j may be saved, and lacks %j', (type, config, missing) => {
    expect(readyOf(type, config)).toEqual(missing);
  });

  it.each<[StepType, unknown, string, string]>([
    ['DELAY', null, 'config', 'invalid_type'],
    ['DELAY', [], 'config', 'invalid_type'],
    ['DELAY', { amount: '1' }, 'config.amount', 'invalid_type'],
    ['DELAY', { amount: 0, unit: 'days' }, 'config.amount', 'too_small'],
    ['DELAY', { amount: 366, unit: 'days' }, 'config.amount', 'too_big'],
    ['DELAY', { amount: 1, unit: 'weeks' }, 'config.unit', 'invalid_value'],
    ['SEND_EMAIL', { templateId: 'welcome' }, 'config.templateId', 'invalid_string'],
    [
      'SEND_EMAIL',
      { recipient: { type: 'CUSTOM', email: 'nobody' } },
      'config.recipient.email',
      'invalid_string',
    ],
    ['SEND_EMAIL', { recipient: { type: 'BCC' } }, 'config.recipient.type', 'invalid_value'],
    ['WAIT_FOR_EVENT', { eventName: '' }, 'config.eventName', 'too_small'],
    ['WAIT_FOR_EVENT', { eventName: 'order', timeout: -1 }, 'config.timeout', 'too_small'],
    ['WEBHOOK', { url: 'ftp://example.com' }, 'config.url', 'invalid_string'],
    ['WEBHOOK', { url: 'example.com' }, 'config.url', 'invalid_string'],
    ['WEBHOOK', { url: 'https://example.com/{{' }, 'config.url', 'invalid_template'],
    ['WEBHOOK', { method: 'TRACE' }, 'config.method', 'invalid_value'],
    [
      'WEBHOOK',
      { headers: { 'webhook-signature': 'v1' } },
      'config.headers.webhook-signature',
      'invalid_value',
    ],
    ['WEBHOOK', { headers: { 'a b': 'x' } }, 'config.headers.a b', 'invalid_string'],
    ['WEBHOOK', { headers: { a: 'x\r\nb: y' } }, 'config.headers.a', 'invalid_string'],
    ['WEBHOOK', { headers: { a: 1 } }, 'config.headers.a', 'invalid_type'],
    ['WEBHOOK', { headers: { 'X-A': '1', 'x-a': '2' } }, 'config.headers.x-a', 'duplicate_header'],
    ['WEBHOOK', { body: { a: '{% if %}' } }, 'config.body', 'invalid_template'],
    ['WEBHOOK', { body: 'x'.repeat(65_536) }, 'config.body', 'too_big'],
    ['WEBHOOK', { body: Array.from({ length: 251 }, () => '{{ a }}') }, 'config', 'too_big'],
    ['WEBHOOK', { url: '{{ a }}', body: Array.from({ length: 250 }, () => '{{ a }}') }, 'config', 'too_big'],
    ['WEBHOOK', { url: 'https://a.example', headers: longHeaders }, 'config', 'too_big'],
    ['UPDATE_CONTACT', { data: [] }, 'config.data', 'invalid_type'],
    ['UPDATE_CONTACT', { data: { a: 'x'.repeat(70_000) } }, 'config.data', 'too_big'],
    ['UPDATE_CONTACT', { subscribed: 'yes' }, 'config.subscribed', 'invalid_type'],
    ['EXIT', { reason: 'x'.repeat(256) }, 'config.reason', 'too_big'],
    ['CONDITION', { field: 'plan', operator: 'equals', value: 1 }, 'config.field', 'invalid_value'],
    ['CONDITION', { field: 'context.a', operator: 'is', value: 1 }, 'config.operator', 'invalid_value'],
    ['CONDITION', { logic: 'XOR', groups: [] }, 'config.logic', 'invalid_value'],
    ['CONDITION', { groups: {} }, 'config.groups', 'invalid_type'],
  ])('%s %j is refused at %s', (type, config, field, code) => {
    expect(parseStepConfig(type, config)).toMatchObject({
      ok: false,
      issues: expect.arrayContaining([expect.objectContaining({ field, code })]),
    });
  });

  it('limits a wait in a unit that people read', () => {
    const received = 4_000 * 86_400;
    const parsed = parseStepConfig('WAIT_FOR_EVENT', { eventName: 'order', timeout: received });
    const message = 'Expected at most 3,650 days';
    expect(parsed).toEqual({
      ok: false,
      issues: [{ field: 'config.timeout', message, code: 'too_big', received }],
    });
  });

  it('is measured before its values are checked', () => {
    const numbers = Array.from({ length: 40_000 }, () => Number.POSITIVE_INFINITY);
    const wrong: [StepType, object, string][] = [
      ['WEBHOOK', { headers: Object.fromEntries(numbers.entries()) }, 'config.headers'],
      ['WEBHOOK', { body: numbers }, 'config.body'],
      ['UPDATE_CONTACT', { data: unreadable(20_000) }, 'config.data'],
    ];
    for (const [type, config, field] of wrong) {
      expect(parseStepConfig(type, config)).toEqual({
        ok: false,
        issues: [{ field, message: expect.stringMatching(/^At most/), code: 'too_big' }],
      });
    }
  });

  it('keeps the body of a call itself, without a walk that copies each of its members', () => {
    const body = Array.from({ length: 20_000 }, () => []);
    const parsed = parseStepConfig('WEBHOOK', { url: 'https://example.com', body });
    expect(parsed.ok && parsed.config.body).toBe(body);
  });

  it('keeps what was sent, without unknown keys', () => {
    const parsed = parseStepConfig('DELAY', { amount: 1, unit: 'days', note: 'x' });
    expect(parsed).toMatchObject({ ok: true, config: { amount: 1, unit: 'days' } });
    expect(parsed.ok && Object.keys(parsed.config)).toEqual(['amount', 'unit']);
  });

  it('is read from the database without compiling its Liquid again', () => {
    const config = { url: 'https://example.com/{{', headers: { a: '{{' }, body: { a: ['{% if %}'] } };
    expect(parseStepConfig('WEBHOOK', config)).toMatchObject({ ok: false });
    expect(parseStoredConfig('WEBHOOK', config)).toMatchObject({ ok: true, ready: config, missing: [] });
  });

  it('is read from the database even if it has a header twice', () => {
    const config = { url: 'https://example.com', headers: { 'X-A': '1', 'x-a': '2' } };
    expect(parseStoredConfig('WEBHOOK', config)).toMatchObject({ ok: true, ready: config });
  });

  it('is parsed to itself, or refused with reasons, whatever the JSON', () => {
    const keys = [
      'templateId',
      'recipient',
      'amount',
      'unit',
      'eventName',
      'timeout',
      'url',
      'headers',
      'body',
    ];
    const key = fc.constantFrom(
      ...keys,
      'data',
      'subscribed',
      'reason',
      'logic',
      'groups',
      'field',
      'operator',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...stepTypes),
        fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())),
        (type, raw) => {
          const parsed = parseStepConfig(type, raw);
          if (!parsed.ok) {
            expect(parsed.issues.length).toBeGreaterThan(0);
            expect(parsed.issues.every(({ field }) => /^config(\.|$)/.test(field))).toBe(true);
            return;
          }
          expect(parsed.ready === undefined).toBe(parsed.missing.length > 0);
          const stored: unknown = JSON.parse(JSON.stringify(parsed.config));
          expect(parseStepConfig(type, stored)).toEqual(parsed);
          expect(parseStoredConfig(type, stored)).toEqual(parsed);
        },
      ),
    );
  });
});
