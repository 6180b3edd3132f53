import { expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { newId } from '../../../core/new-id.ts';
import { busy } from '../../../core/testing/busy.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';
import { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { beginLease } from '../sending/lease.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { type BulkContext, handOverCampaignEmails } from './hand-over-campaign-emails.ts';

const projectId = newId();
const claimed = Array.from({ length: 120 }, () => ({
  id: newId(),
  projectId,
  source: 'CAMPAIGN',
  type: 'MARKETING',
  projectDisabled: false,
  subscribed: true,
  triedSince: null,
}));

/** @returns the recorded status of each email */
async function handOver(changes: Partial<BulkContext>, emails = claimed): Promise<(string | undefined)[]> {
  const outcomes = new ClaimOutcomes(() => undefined);
  await handOverCampaignEmails(
    {
      provider: {
        handOverMany: async (emails) =>
          emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` })),
      },
      begin: undefined,
      render: ({ id }) => ({ ok: true, email: { emailId: id, subject: 'News' } as unknown as OutgoingEmail }),
      turns: new RenderTurns(0),
      calls: new FairSemaphore(1),
      maySend: async () => true,
      withholdAgain: async (unchanged) => unchanged,
      lease: beginLease(new AbortController().signal),
      inMs: () => 0,
      ...changes,
    },
    emails as unknown as ClaimedEmail[],
    undefined,
    outcomes,
  );
  const statusOf = new Map(outcomes.records.map(({ emailId, status }) => [emailId, status]));
  return emails.map(({ id }) => statusOf.get(id));
}

it('outcomes of a claim are recorded even if the database did not say whether the rest may leave', async () => {
  const answers = [true, new Error('the connection was lost'), true];
  const maySend = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer ?? false;
  };
  expect(await handOver({ maySend })).toEqual([
    ...Array(50).fill('SENT'),
    ...Array(50).fill('QUEUED'),
    ...Array(20).fill('SENT'),
  ]);
});

it('only emails recorded as begun are handed over', async () => {
  const first = claimed[0]?.id;
  const noted: number[] = [];
  const begin = async (emailIds: string[]) => {
    noted.push(emailIds.length);
    if (noted.length === 2) throw new Error('the connection was lost');
    return emailIds.map((id) => id !== first);
  };
  expect(await handOver({ begin })).toEqual([
    undefined,
    'SENT',
    ...Array(2).fill('QUEUED'),
    ...Array(116).fill('SENT'),
  ]);
  expect(noted).toEqual(Array(60).fill(2));
});

it('nothing leaves after the process was frozen, even before its timers have run', async () => {
  const wokenAt = Date.now();
  // Never ahead: ids follow the latest time they have seen.
  vi.useFakeTimers({ toFake: ['Date'], now: wokenAt - 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const provider: BulkContext['provider'] = {
    handOverMany: async (emails, stop) =>
      emails.map(({ emailId }) =>
        stop.aborted ? notBegun : { outcome: 'accepted', messageId: `m-${emailId}` },
      ),
  };
  const render: BulkContext['render'] = ({ id }) => {
    if (id === claimed[50]?.id) vi.setSystemTime(wokenAt);
    return { ok: true, email: { emailId: id, subject: 'News' } as unknown as OutgoingEmail };
  };
  expect(await handOver({ provider, render })).toEqual([
    ...Array(50).fill('SENT'),
    ...Array(70).fill('QUEUED'),
  ]);
});

it('emails of a slow template leave while others of their claim are still to be rendered', async () => {
  const log: string[] = [];
  const provider: BulkContext['provider'] = {
    async handOverMany(emails) {
      log.push('call');
      return emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` }));
    },
  };
  const render: BulkContext['render'] = ({ id }) => {
    log.push('rendering');
    busy(100);
    return { ok: true, email: { emailId: id, subject: 'News' } as unknown as OutgoingEmail };
  };
  expect(await handOver({ provider, render }, claimed.slice(0, 10))).toEqual(Array(10).fill('SENT'));
  const calls = log.flatMap((entry, index) => (entry === 'call' ? [index] : []));
  // Three emails show that the template is slow; the next ones leave after half a second, before the last is rendered.
  expect(calls[0]).toBe(3);
  expect(calls[1]).toBeLessThan(log.lastIndexOf('rendering'));
  expect(log.filter((entry) => entry === 'rendering')).toHaveLength(10);
});

it('a claim larger than those of a slow project ends when its template turns out slow', async () => {
  const render: BulkContext['render'] = ({ id }) => {
    busy(100);
    return { ok: true, email: { emailId: id, subject: 'News' } as unknown as OutgoingEmail };
  };
  expect(await handOver({ render })).toEqual([...Array(3).fill('SENT'), ...Array(117).fill('QUEUED')]);
});
