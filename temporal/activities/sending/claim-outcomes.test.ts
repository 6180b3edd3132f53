import { expect, it } from 'vitest';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { classifyBulkEntry } from '../../../providers/email/classify-bulk-entry.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';
import { ClaimOutcomes } from './claim-outcomes.ts';

const hourMs = 60 * 60 * 1000;
const quotaIsUsedUp = classifyBulkEntry({ Status: 'ACCOUNT_DAILY_QUOTA_EXCEEDED' });

it.each([
  ['of a campaign waits for days', 'CAMPAIGN', 25, 'QUEUED'],
  ['of a campaign fails after two weeks', 'CAMPAIGN', 14 * 24 + 1, 'FAILED'],
  ['of an API call waits for hours', 'TRANSACTIONAL', 23, 'QUEUED'],
  ['of an API call fails after a day', 'TRANSACTIONAL', 25, 'FAILED'],
])('an email %s when the daily quota is used up', (_, source, hours, status) => {
  const triedSince = new Date(Date.now() - hours * hourMs);
  const outcomes = new ClaimOutcomes(() => undefined);
  outcomes.answer({ id: 'e-1', source, triedSince } as ClaimedEmail, quotaIsUsedUp, 'News', new Date());
  expect(outcomes.records).toMatchObject([{ status }]);
});

it('an email that was never handed over does not begin its day of retries', () => {
  const outcomes = new ClaimOutcomes(() => undefined);
  const email = { id: 'e-1', source: 'TRANSACTIONAL', triedSince: null } as ClaimedEmail;
  outcomes.answer(email, notBegun, 'News', new Date());
  outcomes.putBack(email, 'the project is disabled', 0);
  expect(outcomes.records).toMatchObject([{ triedSince: null }, { triedSince: null }]);
});

it.each([
  ['half a minute at first', 0, 30],
  ['half a minute again', 30, 30],
  ['as long as before in all', 8 * 60, 8 * 60],
  ['half an hour at most', 20 * 3_600, 30 * 60],
])('an email that its server defers waits %s', (_, triedForSeconds, seconds) => {
  const triedSince = new Date(Date.now() - triedForSeconds * 1_000);
  const email = { id: 'e-1', source: 'TRANSACTIONAL', triedSince } as ClaimedEmail;
  const outcomes = new ClaimOutcomes(() => undefined);
  const deferral = { outcome: 'later', reason: '451 greylisted', retryInMs: 30_000 } as const;
  const before = Date.now();
  outcomes.answer(email, { ...deferral, backsOff: true }, 'News', new Date());
  outcomes.answer(email, deferral, 'News', new Date());
  const after = Date.now();
  const [backingOff, other] = outcomes.records;
  expect(backingOff?.retryAt?.getTime()).toBeGreaterThanOrEqual(before + seconds * 1_000);
  expect(backingOff?.retryAt?.getTime()).toBeLessThanOrEqual(after + seconds * 1_000 + (after - before));
  expect(other).toMatchObject({ status: 'QUEUED', triedSince, retryAt: null });
  // Other emails need not wait for it.
  expect(outcomes.retryInMs).toEqual(new Map([['e-1', 30_000]]));
});
