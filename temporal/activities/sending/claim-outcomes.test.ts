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
