import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contactsInFirstPiece, recipientsPerBatch } from '../../../core/campaign-batches.ts';
import { Campaign } from '../../../db/entities/campaign.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import { sql } from '../../../db/testing/sql.ts';
import { cancelCampaign, insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import type { BatchSender } from './create-batch-sender.ts';
import { createHeadStart, type HeadStart } from './head-start.ts';

const database = useTestDatabase();
const { em } = database;

let campaignId: string;
let sent: { batch: number; leavesOpen: boolean | undefined; isFrozen: boolean }[];
let warnings: string[];
let send: BatchSender;
let headStart: HeadStart;
let isBusy: boolean;
beforeEach(() => {
  isBusy = false;
  sent = [];
  warnings = [];
  send = note;
  headStart = createHeadStart({
    orm: database.orm,
    sendBatch: (order, signal) => send(order, signal),
    isBusy: () => isBusy,
    warn: (message) => warnings.push(message),
  });
});
afterEach(async () => {
  await headStart.stop();
  await sql(em(), 'delete from campaigns');
});

const note: BatchSender = async ({ batch, leavesOpen }) => {
  const { frozenAt } = await em().findOneOrFail(Campaign, campaignId, allProjects);
  sent.push({ batch, leavesOpen, isFrozen: frozenAt !== null });
  return { sent: 0, queued: 0, retryInMs: 0, waiting: 0 };
};

async function startCampaign(recipients: number): Promise<void> {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, recipients);
  campaignId = await insertDraft(em(), projectId);
  await startSending(em(), campaignId);
}

async function startFrozen(): Promise<string> {
  await startCampaign(1);
  expect(await freezePiece(10)).toBe(true);
  return campaignId;
}

const freezePiece = (contacts: number) => freezeAudience(em(), campaignId, contacts);
const untilIdle = () =>
  eventually(
    async () => headStart.isSending(),
    (isSending) => !isSending,
  );
const untilSent = (count: number) =>
  eventually(
    async () => sent,
    ({ length }) => length >= count,
  );

describe('the head start of a campaign', () => {
  it('sends during the freeze, and leaves open a batch that recipients still join', async () => {
    await startCampaign(recipientsPerBatch + 1);
    expect(await freezePiece(10)).toBe(false);
    headStart.look(campaignId);
    await untilSent(1);
    expect(await freezePiece(recipientsPerBatch - 10)).toBe(false);
    headStart.look(campaignId);
    await untilSent(2);
    expect(await freezePiece(2)).toBe(true);
    headStart.look(campaignId);
    await untilSent(3);
    expect(sent.slice(0, 2)).toEqual([
      { batch: 1, leavesOpen: true, isFrozen: false },
      { batch: 1, leavesOpen: false, isFrozen: false },
    ]);
    expect(sent.at(-1)).toMatchObject({ leavesOpen: false, isFrozen: true });
  });

  it('begins a campaign when it starts, and leaves its batch to the workflow', async () => {
    for (const recipients of [3, contactsInFirstPiece + 1]) {
      await startCampaign(recipients);
      headStart.begin(campaignId);
      const seen = await eventually(
        async () => em().findOneOrFail(Campaign, campaignId, allProjects),
        ({ frozenAt }) => frozenAt !== null && sent.length > 0,
      );
      expect(seen.totalRecipients).toBe(recipients);
      await untilIdle();
      expect(new Set(sent.map(({ leavesOpen }) => leavesOpen))).toEqual(new Set([true]));
    }
  });

  it('leaves alone a campaign that another process is beginning', async () => {
    await startCampaign(3);
    await em().transactional(async (em) => {
      await sql(em, 'select from campaigns where id = $1 for no key update', [campaignId]);
      headStart.begin(campaignId);
      await untilIdle();
    });
    expect(await freezePiece(1)).toBe(false);
    headStart.begin(campaignId);
    await untilIdle();
    expect(sent).toEqual([]);
  });

  it('leaves the other batches to the workflow after the freeze', async () => {
    await startCampaign(2 * recipientsPerBatch);
    while (!(await freezePiece(recipientsPerBatch)));
    headStart.look(campaignId);
    await untilSent(1);
    await headStart.stop();
    expect(sent).toEqual([{ batch: 1, leavesOpen: false, isFrozen: true }]);
  });

  it('sends all open batches when a worker starts', async () => {
    await startCampaign(2 * recipientsPerBatch);
    while (!(await freezePiece(recipientsPerBatch)));
    await headStart.takeOver();
    await untilSent(2);
    expect(sent.map(({ batch }) => batch)).toEqual([1, 2]);
  });

  it('leaves the other batches alone when the first has to wait', async () => {
    await startCampaign(2 * recipientsPerBatch);
    while (!(await freezePiece(recipientsPerBatch)));
    send = async (order, signal) => ({ ...(await note(order, signal)), queued: 1, retryInMs: 60_000 });
    await headStart.takeOver();
    await untilIdle();
    expect(new Set(sent.map(({ batch }) => batch))).toEqual(new Set([1]));
  });

  it('sends what another worker left behind once this process sends for no workflow', async () => {
    isBusy = true;
    await headStart.takeOver();
    await startCampaign(1);
    expect(await freezePiece(10)).toBe(true);
    expect(sent).toEqual([]);
    isBusy = false;
    await untilSent(1);
  });

  it('reaches a campaign behind others that can send nothing', async () => {
    for (let n = 0; n < 8; n += 1) await startFrozen();
    const stuck = new Set(await em().getRepository(Campaign).listSending([], 100));
    const id = await startFrozen();
    // A look lists scheduled campaigns last.
    await sql(em(), 'update campaigns set scheduled_for = now() where id = $1', [id]);
    const seen: string[] = [];
    send = async (order) => {
      seen.push(order.campaignId);
      return { sent: stuck.has(order.campaignId) ? 0 : 1, queued: 1, retryInMs: 60_000, waiting: 0 };
    };
    await headStart.takeOver();
    await eventually(
      async () => seen,
      () => seen.includes(id),
    );
    expect(new Set(seen.slice(0, 8))).toEqual(stuck);
  });

  it('sends nothing of a canceled campaign', async () => {
    await startCampaign(3);
    expect(await freezePiece(10)).toBe(true);
    await cancelCampaign(em(), campaignId);
    headStart.look(campaignId);
    await headStart.takeOver();
    await headStart.stop();
    expect(sent).toEqual([]);
  });

  it('leaves a failure to the workflow', async () => {
    await startCampaign(1);
    send = async () => {
      throw new Error('no database');
    };
    expect(await freezePiece(10)).toBe(true);
    headStart.look(campaignId);
    await eventually(async () => warnings.length, 1);
    send = note;
    headStart.look(campaignId);
    await untilSent(1);
  });

  it('stops its running work with the worker, and begins nothing more', async () => {
    await startCampaign(1);
    const begun = Promise.withResolvers<void>();
    let isStopped = false;
    send = async (_order, signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isStopped = true;
      throw new Error('stopped');
    };
    expect(await freezePiece(10)).toBe(true);
    headStart.look(campaignId);
    await begun.promise;
    await headStart.stop();
    expect(isStopped).toBe(true);
    send = note;
    headStart.look(campaignId);
    await headStart.stop();
    expect(sent).toEqual([]);
  });
});
