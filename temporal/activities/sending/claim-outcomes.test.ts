import { expect, it } from 'vitest';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { classifyBulkEntry } from '../../../providers/email/classify-bulk-entry.ts';
import { ClaimOutcomes } from './claim-outcomes.ts';

const hourMs = 60 * 60 * 1000;

it.each([
  ['of a campaign waits for days', 'CAMPAIGN', 25, 'QUEUED'],
  ['of a campaign fails after two weeks', 'CAMPAIGN', 14 * 24 + 1, 'FAILED'],
  ['of an API call waits for hours', 'TRANSACTIONAL', 23, 'QUEUED'],
  ['of an API call fails after a day', 'TRANSACTIONAL', 25, 'FAILED'],
])('an email %s when the daily quota is used up', (_, source, hours, status) => {
  const createdAt = new Date(Date.now() - hours * hourMs);
  const email = { id: 'e-1', source, createdAt } as ClaimedEmail;
  const outcomes = new ClaimOutcomes(() => undefined);
  const answer = classifyBulkEntry({ Status: 'ACCOUNT_DAILY_QUOTA_EXCEEDED' });
  outcomes.answer(email, answer, 'News', new Date());
  expect(outcomes.records).toMatchObject([{ status }]);
});
