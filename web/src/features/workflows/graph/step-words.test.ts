import { expect, test } from 'vitest';
import { fromSeconds, toSeconds } from './duration.ts';
import type { Step } from './graph.ts';
import { stepWords } from './step-words.ts';

const names = { template: () => 'Welcome', ofCondition: () => 'Trials' };

test.each<[Step['type'], Step['config'], string]>([
  ['TRIGGER', { eventName: 'signed up' }, 'When “signed up” happens'],
  ['SEND_EMAIL', {}, 'Welcome'],
  ['SEND_EMAIL', { recipient: { type: 'CUSTOM', email: 'team@example.com' } }, 'Welcome to team@example.com'],
  ['DELAY', { amount: 1, unit: 'days' }, '1 day'],
  ['DELAY', { amount: 1.5, unit: 'hours' }, '1.5 hours'],
  ['DELAY', { amount: 3 }, ''],
  ['WAIT_FOR_EVENT', { eventName: 'paid' }, '“paid”, however long it takes'],
  ['WAIT_FOR_EVENT', { eventName: 'paid', timeout: 7200 }, '“paid”, at most 2 hours'],
  ['WAIT_FOR_EVENT', { eventName: 'paid', timeout: 90 }, '“paid”, at most 1.5 minutes'],
  ['WAIT_FOR_EVENT', { eventName: 'paid', timeout: 8.64 }, '“paid”, at most 0.144 minutes'],
  ['WAIT_FOR_EVENT', { eventName: 'paid', timeout: 10 }, '“paid”, at most 0.166667 minutes'],
  ['CONDITION', { field: 'data.plan', operator: 'equals', value: 'pro' }, 'Plan is pro'],
  ['WEBHOOK', { url: 'https://example.com' }, 'POST https://example.com'],
  ['UPDATE_CONTACT', { data: { active: true }, subscribed: false }, 'Sets active, unsubscribes'],
  ['UPDATE_CONTACT', {}, ''],
  ['EXIT', {}, 'Ends here'],
])('%s %j: %s', (type, config, expected) => {
  const templateId = type === 'SEND_EMAIL' ? 'one' : null;
  const updatedAt = '2026-01-01T00:00:00.000Z';
  const step = { id: 'a', type, name: 'a', position: null, config, templateId, updatedAt };
  expect(stepWords(step, names)).toBe(expected);
});

test.each([1, 8.64, 10, 59.999, 3599, 31_535_999])('%s seconds stay the same in a form', (total) => {
  const { amount, unit } = fromSeconds(total);
  expect(toSeconds(amount, unit)).toBe(total);
  expect(String(amount).length).toBeLessThan(16);
});
