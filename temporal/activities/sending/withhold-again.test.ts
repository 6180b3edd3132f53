import { expect, it } from 'vitest';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { ClaimOutcomes } from './claim-outcomes.ts';
import { withholdAgain } from './withhold-again.ts';

const { em } = useTestDatabase();

it('emails that cannot be looked at again return to the queue, and a warning names them', async () => {
  const warnings: [message: string, error: unknown][] = [];
  const outcomes = new ClaimOutcomes(() => undefined);
  // Postgres refuses the second one, which is no uuid.
  const ids = ['019aca00-0000-7000-8000-000000000001', 'broken'];
  const emails = ids.map((id) => ({ id, projectId: 'p-1', triedSince: null }) as ClaimedEmail);
  const allowed = await withholdAgain(em(), emails, outcomes, { ageMs: () => 60_000 }, (message, error) => {
    warnings.push([message, error]);
  });
  expect(allowed).toEqual([]);
  expect(outcomes.records).toMatchObject(ids.map((emailId) => ({ emailId, status: 'QUEUED' })));
  const named = expect.stringContaining(`of project p-1: ${ids[0]}, broken`);
  expect(warnings).toEqual([[named, expect.objectContaining({ message: expect.stringMatching('uuid') })]]);
});
