import { expect, it } from 'vitest';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { newId } from '../../../core/new-id.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { handOverCampaignEmails } from './hand-over-campaign-emails.ts';

const claimed = Array.from({ length: 120 }, () => ({
  id: newId(),
  projectId: newId(),
  source: 'CAMPAIGN',
  type: 'MARKETING',
  projectDisabled: false,
  subscribed: true,
  createdAt: new Date(),
}));

it('outcomes of a claim are recorded although the database did not say whether the rest may leave', async () => {
  const answers = [true, new Error('the connection was lost'), true];
  const outcomes = new ClaimOutcomes(() => undefined);
  await handOverCampaignEmails(
    {
      provider: {
        handOverMany: async (emails) =>
          emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` })),
      },
      render: ({ id }) => ({ ok: true, email: { emailId: id, subject: 'News' } as unknown as OutgoingEmail }),
      calls: new FairSemaphore(1),
      async maySend() {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer ?? false;
      },
      signal: new AbortController().signal,
      inMs: () => 0,
    },
    claimed as unknown as ClaimedEmail[],
    undefined,
    outcomes,
  );
  const statusOf = new Map(outcomes.records.map(({ emailId, status }) => [emailId, status]));
  expect(claimed.map(({ id }) => statusOf.get(id))).toEqual([
    ...Array(50).fill('SENT'),
    ...Array(50).fill('QUEUED'),
    ...Array(20).fill('SENT'),
  ]);
});
