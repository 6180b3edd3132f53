import { expect, it } from 'vitest';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { exampleEmail } from '../../../providers/testing/example-email.ts';
import type { Warn } from '../../../runtime/logger.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { ClaimOutcomes } from './claim-outcomes.ts';
import { beginLease } from './lease.ts';
import { withholdAgain } from './withhold-again.ts';

const { em } = useTestDatabase();

it('emails that cannot be looked at again return to the queue, and a warning names them', async () => {
  const warnings: [message: string, error: unknown][] = [];
  const outcomes = new ClaimOutcomes(() => undefined);
  // Postgres refuses the second one, which is no uuid.
  const ids = ['019aca00-0000-7000-8000-000000000001', 'broken'];
  const emails = ids.map((id) => ({ id, projectId: 'p-1', triedSince: null }) as ClaimedEmail);
  const rendered = new Map(emails.map((email) => [email, exampleEmail({ emailId: email.id })]));
  const warn: Warn = (message, error) => warnings.push([message, error]);
  const lease = { ...beginLease(new AbortController().signal), ageMs: () => 60_000 };
  const allowed = await withholdAgain({ em: em(), warn }, { outcomes, lease }, rendered);
  expect(allowed.size).toBe(0);
  expect(outcomes.records).toMatchObject(ids.map((emailId) => ({ emailId, status: 'QUEUED' })));
  const named = expect.stringContaining(`of project p-1: ${ids[0]}, broken`);
  expect(warnings).toEqual([[named, expect.objectContaining({ message: expect.stringMatching('uuid') })]]);
});
