import { beforeEach, expect, it } from 'vitest';
import { freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import type { EmailProvider, OutgoingEmail } from '../../../providers/email/email-provider.ts';
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
let campaignId: string;
let order: BatchOrder;
beforeEach(async () => {
  calls = [];
  const handOverMany: EmailProvider['handOverMany'] = async (emails) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    calls.push({ emails, answer: resolve });
    await promise;
    return emails.map(({ emailId }) => ({ outcome: 'accepted', messageId: `m-${emailId}` }));
  };
  send = createBatchSender({
    orm: database.orm,
    provider: { handOverMany } as unknown as EmailProvider,
    render: ({ id: emailId }) => ({
      ok: true,
      email: { emailId, subject: 'News' } as unknown as OutgoingEmail,
    }),
    rates: async () => ({ account: null, project: null }),
    unknownSeconds: 60,
    countHandOver: () => undefined,
    recorded: () => undefined,
  });
  await insertContacts(em(), project.id, 5);
  campaignId = await insertDraft(em(), project.id);
  await startSending(em(), campaignId);
  order = { campaignId, projectId: project.id, batch: 1, leavesOpen: true };
});

const freezePiece = (contacts: number) => freezeAudience(em(), campaignId, contacts);
const untilCalls = (count: number) =>
  eventually(
    async () => calls.length,
    (length) => length >= count,
  );
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

it('a batch that was read earlier sends what is left, each email once', async () => {
  await freezePiece(10);
  const read = {
    ...{
      campaignId,
      projectId: project.id,
      contentId: null,
      firstEmailId: '00000000-0000-0000-0000-000000000000',
    },
    ...{ lastEmailId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', queued: 5, state: 'sending' as const },
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
