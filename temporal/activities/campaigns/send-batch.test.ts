import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { cpuMsSince } from '../../../core/cpu-time.ts';
import { busy } from '../../../core/testing/busy.ts';
import { freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import { deleteContacts } from '../../../db/statements/contacts/delete-contacts.ts';
import { subscribeContacts } from '../../../db/statements/contacts/subscribe-contacts.ts';
import type { EmailProvider, HandOver, OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { cancelCampaign, insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { insertProject, useProject } from '../../../test/setup/projects.ts';
import { type BatchSender, createBatchSender } from './create-batch-sender.ts';
import type { BatchOrder } from './send-batch.ts';

const database = useTestDatabase(8);
const { em, sql } = database;
const project = useProject(em);

/** Provider calls, each with a function that lets it be answered. */
let calls: { emails: readonly OutgoingEmail[]; answer: () => void }[];
let send: BatchSender;
/** Projects whose emails take long to render. */
let slow: Set<string>;
let rendering: () => void;
let answerOf: (emailId: string) => HandOver;
/** Emails per second of each project. */
let rate: number | null;
let isOver: boolean;
let campaignId: string;
let order: BatchOrder;
beforeEach(async () => {
  calls = [];
  slow = new Set();
  rendering = () => undefined;
  answerOf = (emailId) => ({ outcome: 'accepted', messageId: `m-${emailId}` });
  rate = null;
  isOver = false;
  const handOverMany: EmailProvider['handOverMany'] = async (emails) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    calls.push({ emails, answer: resolve });
    if (!isOver) await promise;
    return emails.map(({ emailId }) => answerOf(emailId));
  };
  send = createBatchSender({
    orm: database.orm,
    provider: { handOverMany } as unknown as EmailProvider,
    render: ({ id: emailId, projectId }) => {
      rendering();
      if (slow.has(projectId)) busy(30);
      return { ok: true, email: { emailId, projectId, subject: 'News' } as unknown as OutgoingEmail };
    },
    rates: async () => ({ account: null, project: rate }),
    unknownSeconds: 60,
    count: () => undefined,
    warn: () => undefined,
    recorded: () => undefined,
  });
  await insertContacts(em(), project.id, 5);
  campaignId = await insertDraft(em(), project.id);
  await startSending(em(), campaignId);
  order = { campaignId, projectId: project.id, batch: 1, leavesOpen: true };
});
// A run that a failed test leaves behind would keep the database open.
afterEach(() => {
  isOver = true;
  for (const { answer } of calls) answer();
});

const freezePiece = (contacts: number) => freezeAudience(em(), campaignId, contacts);

async function insertSlowCampaigns(count: number, contacts: number): Promise<BatchOrder[]> {
  const projectId = await insertProject(em());
  slow.add(projectId);
  await insertContacts(em(), projectId, contacts);
  const orders: BatchOrder[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await insertDraft(em(), projectId);
    await startSending(em(), id);
    await freezeAudience(em(), id, 100);
    orders.push({ campaignId: id, projectId, batch: 1, leavesOpen: true });
  }
  return orders;
}

const isSlow = ({ projectId }: OutgoingEmail) => slow.has(projectId);

/** Waits for this many calls, or the end of the runs. @returns the number of calls */
async function untilCalls(count: number, runs?: Promise<unknown>[]): Promise<number> {
  let areOver = false;
  if (runs !== undefined) void Promise.allSettled(runs).then(() => (areOver = true));
  return eventually(
    async () => calls.length,
    (length) => length >= count || areOver,
  );
}
const neverAborted = new AbortController().signal;
const statuses = async () => {
  const rows = await sql<{ status: string }>('select status from emails where campaign_id = $1 order by id', [
    campaignId,
  ]);
  return rows.map(({ status }) => status);
};

it('emails added by the freeze leave before the previous claim is answered', async () => {
  const grown = Promise.withResolvers<void>();
  const growths = [grown.promise];
  await freezePiece(2);
  const sending = send(
    { ...order, growth: () => growths.shift() ?? new Promise(() => undefined) },
    neverAborted,
  );
  await untilCalls(1);
  await freezePiece(10);
  grown.resolve();
  await untilCalls(2);
  expect(calls.map(({ emails }) => emails.length)).toEqual([2, 3]);
  for (const { answer } of calls) answer();
  expect(await sending).toMatchObject({ sent: 5, queued: 0 });
  expect(await statuses()).toEqual(Array(5).fill('SENT'));
});

it('no email added by the freeze leaves after a cancel', async () => {
  const grown = Promise.withResolvers<void>();
  await freezePiece(2);
  const sending = send({ ...order, growth: () => grown.promise }, neverAborted);
  await untilCalls(1);
  await freezePiece(1);
  await cancelCampaign(em(), campaignId);
  grown.resolve();
  for (const { answer } of calls) answer();
  expect(await sending).toMatchObject({ sent: 2 });
  expect(calls).toHaveLength(1);
});

it('a batch sleeps until the last of its emails, which their server defers, are due', async () => {
  await freezePiece(10);
  const whole = { ...order, leavesOpen: false };
  answerOf = () => ({ outcome: 'later', reason: '451 greylisted', retryInMs: 30_000, backsOff: true });
  isOver = true;
  expect(await send(whole, neverAborted)).toMatchObject({ sent: 0, queued: 5, reason: '451 greylisted' });
  expect(calls).toHaveLength(1);
  await sql(`update emails set retry_at = now() + interval '20 minutes' where campaign_id = $1`, [
    campaignId,
  ]);
  const round = await send(whole, neverAborted);
  expect(round).toMatchObject({ sent: 0, queued: 5, retryInMs: expect.closeTo(20 * 60_000, -5) });
  expect(calls).toHaveLength(1);
  await sql(`update emails set retry_at = now() where campaign_id = $1`, [campaignId]);
  answerOf = (emailId) => ({ outcome: 'accepted', messageId: `m-${emailId}` });
  const rest = await send(whole, neverAborted);
  expect(rest).toMatchObject({ sent: 5, queued: 0 });
  expect(rest.reason).toBeUndefined();
});

it('a batch says why it waits, without the addresses that the provider quotes', async () => {
  await freezePiece(10);
  const whole = { ...order, leavesOpen: false };
  isOver = true;
  answerOf = () => ({ outcome: 'unknown', reason: 'lost after <ada@example.com>' });
  expect(await send(whole, neverAborted)).toMatchObject({ queued: 0, waiting: 5, reason: 'lost after <…>' });
  await sql(`update emails set status = 'QUEUED', claimed_at = null where campaign_id = $1`, [campaignId]);
  await sql('update projects set disabled = true where id = $1', [project.id]);
  expect(await send(whole, neverAborted)).toMatchObject({ queued: 5, reason: 'project disabled' });
});

it('a batch that was read earlier sends what is left, each email once', async () => {
  await freezePiece(10);
  const read = {
    ...{
      campaignId,
      projectId: project.id,
      contentId: null,
      firstEmailId: '00000000-0000-0000-0000-000000000000',
    },
    ...{
      lastEmailId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      due: 5,
      state: 'sending' as const,
      pause: null,
    },
    ...{ number: 1, recipients: 5, isFrozen: true },
  };
  const both = [send({ ...order, read }, neverAborted), send({ ...order, read }, neverAborted)];
  await untilCalls(1);
  for (const { answer } of calls) answer();
  const results = await Promise.all(both);
  expect(results.map(({ sent }) => sent)).toEqual([5, 0]);
  expect(calls).toHaveLength(1);
});

it('answered emails are recorded while another call still waits', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 60);
  campaignId = await insertDraft(em(), projectId);
  await startSending(em(), campaignId);
  await freezePiece(100);
  const sending = send({ ...order, campaignId, projectId }, neverAborted);
  await untilCalls(2);
  const [first, second] = calls;
  first?.answer();
  const sent = await eventually(
    async () => (await statuses()).filter((status) => status === 'SENT').length,
    (count) => count > 0,
  );
  expect(sent).toBe(first?.emails.length);
  second?.answer();
  expect(await sending).toMatchObject({ sent: calls.reduce((sum, { emails }) => sum + emails.length, 0) });
});

it('nobody gets an email who opts out or is deleted while it waits for the answers to earlier ones', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 403);
  campaignId = await insertDraft(em(), projectId);
  await startSending(em(), campaignId);
  await freezePiece(1_000);
  const sending = send({ ...order, campaignId, projectId }, neverAborted);
  await untilCalls(8);
  const contacts = await sql<{ id: string }>(
    'select id from contacts where project_id = $1 order by created_at desc, id desc limit 2',
    [projectId],
  );
  const [optedOut = '', deleted = ''] = contacts.map(({ id }) => id);
  await subscribeContacts(em(), projectId, [optedOut], false, new Date());
  await em().transactional((own) => deleteContacts(own, projectId, [deleted]));
  await eventually(
    () =>
      sql(`select from emails where campaign_id = $1 and claimed_at > now() - interval '1 second'`, [
        campaignId,
      ]),
    ({ length }) => length === 0,
  );
  for (const { answer } of calls) answer();
  await untilCalls(9);
  calls[8]?.answer();
  expect(await sending).toMatchObject({ sent: 401 });
  expect((await statuses()).slice(-3)).toEqual(['SENT', 'FAILED', 'SUPPRESSED']);
});

it('campaigns of projects whose templates are slow leave other campaigns their places', async () => {
  const [first, ...others] = await insertSlowCampaigns(6, 15);
  if (first === undefined) throw new Error('there is no campaign');
  const finding = send(first, neverAborted);
  await untilCalls(1);
  calls[0]?.answer();
  // Its claim turned out slow, so the rest of it goes back.
  expect(await untilCalls(2, [finding])).toBe(1);
  expect(await finding).toMatchObject({ sent: 3 });

  const runs = others.map((one) => send(one, neverAborted));
  expect(await untilCalls(2, runs)).toBe(2);
  await delay(200);
  const slowEmails = () => calls.slice(1).flatMap(({ emails }) => emails.filter(isSlow)).length;
  expect(slowEmails()).toBeLessThanOrEqual(10);
  await freezePiece(10);
  const sending = send(order, neverAborted);
  const findOwn = async () => calls.find(({ emails }) => !emails.some(isSlow));
  const own = await eventually(findOwn, (found) => found !== undefined || slowEmails() > 10);
  expect(slowEmails()).toBeLessThanOrEqual(10);
  own?.answer();
  expect(await sending).toMatchObject({ sent: 5 });

  const ended = Promise.all(runs).then(() => true);
  do for (const { answer } of calls) answer();
  while (!(await Promise.race([ended, delay(10, false)])));
  const results = await Promise.all(runs);
  // Those that come back later would only hold activity slots.
  const later = results.filter(({ retryInMs }) => retryInMs >= 5_000);
  expect(later.length).toBeGreaterThanOrEqual(2);
  expect(results.filter(({ sent }) => sent === 15)).toHaveLength(results.length - later.length);
});

/** @returns a function that sends a campaign and returns the most turns of the event loop between two of its renderings */
function countTurns(): (order: BatchOrder) => Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  onTestFinished(() => clearImmediate(next));
  return async (one) => {
    const seen: number[] = [];
    rendering = () => seen.push(turns);
    expect(await send(one, neverAborted)).toMatchObject({ sent: 10 });
    return Math.max(...seen.slice(1).map((at, index) => at - (seen[index] ?? 0)));
  };
}

it('a slow campaign leaves the event loop to a claim that waits for its rate, and rests for nobody else', async () => {
  // A busy machine makes no turn to render longer.
  vi.spyOn(performance, 'now').mockImplementation(() => cpuMsSince(undefined));
  onTestFinished(() => void vi.restoreAllMocks());
  const [first, second, third] = await insertSlowCampaigns(3, 10);
  if (first === undefined || second === undefined || third === undefined) return expect.unreachable();
  await freezePiece(10);
  // The last of its five emails has its slot after half a second.
  rate = 3;
  const paced = send(order, neverAborted);
  await untilCalls(1);
  expect(calls[0]?.emails).toHaveLength(5);
  rate = null;
  isOver = true;
  const turnsWithin = countTurns();
  // Makes its project slow.
  await turnsWithin(first);
  expect(await turnsWithin(second)).toBeGreaterThan(10);
  calls[0]?.answer();
  await paced;
  expect(await turnsWithin(third)).toBeLessThanOrEqual(3);
});
