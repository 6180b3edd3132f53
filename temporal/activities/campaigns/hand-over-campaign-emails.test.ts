import { expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { newId } from '../../../core/new-id.ts';
import { busy } from '../../../core/testing/busy.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { beginLease } from '../sending/lease.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { type BulkContext, handOverCampaignEmails } from './hand-over-campaign-emails.ts';

const { em } = useTestDatabase();

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

const rendered = (emailId: string) =>
  ({ emailId, subject: 'News', attachments: [] }) as unknown as OutgoingEmail;

/** @returns the recorded status of each email */
async function handOver(
  changes: Partial<BulkContext>,
  emails = claimed,
  maySend = async () => true,
): Promise<(string | undefined)[]> {
  const outcomes = new ClaimOutcomes(() => undefined);
  const context: BulkContext = {
    em: em(),
    provider: {
      handOverMany: async (emails) =>
        emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` })),
    },
    begin: undefined,
    render: ({ id }) => ({ ok: true, email: rendered(id) }),
    turns: new RenderTurns(0),
    calls: new FairSemaphore(1),
    unknownSeconds: 60,
    count: () => undefined,
    warn: () => undefined,
    ...changes,
  };
  const lease = beginLease(new AbortController().signal);
  const claim = { token: newId(), lease, outcomes, storedOf: () => undefined, maySend, inMs: () => 0 };
  await handOverCampaignEmails(context, claim, emails as unknown as ClaimedEmail[]);
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
  expect(await handOver({}, claimed, maySend)).toEqual([
    ...Array(50).fill('SENT'),
    ...Array(50).fill('QUEUED'),
    ...Array(20).fill('SENT'),
  ]);
});

it('only emails recorded as begun are handed over', async () => {
  const [first, ...others] = claimed.map(({ id }) => id);
  const unrecorded = others.slice(1, 3);
  const begin: BulkContext['begin'] = async ({ emailId }) => {
    if (unrecorded.includes(emailId)) throw new Error('the connection was lost');
    return emailId !== first;
  };
  const calls: number[] = [];
  const provider: BulkContext['provider'] = {
    async handOverMany(emails) {
      calls.push(emails.length);
      return emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` }));
    },
  };
  expect(await handOver({ begin, provider })).toEqual([
    undefined,
    'SENT',
    ...Array(2).fill('QUEUED'),
    ...Array(116).fill('SENT'),
  ]);
  // A dying process leaves few in doubt.
  expect(calls).toEqual([1, ...Array(58).fill(2)]);
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
    return { ok: true, email: rendered(id) };
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
    return { ok: true, email: rendered(id) };
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
    return { ok: true, email: rendered(id) };
  };
  expect(await handOver({ render })).toEqual([...Array(3).fill('SENT'), ...Array(117).fill('QUEUED')]);
});
