import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { insertContacts, insertProject, startCampaign } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { providerEvent } from '../../../test/setup/inputs.ts';
import { readEmail } from '../../../test/setup/read-database.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { deleteContacts, eraseContactTraces } from '../contacts/delete-contacts.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import type { ClaimedEmail } from '../emails/claim-emails.ts';
import { type HandOverRecord, recordHandOvers } from '../emails/record-hand-overs.ts';
import { foldCampaignFigures, recountCampaign } from './campaign-figures.ts';
import { findOpenBatches, finishSending, remindCampaigns } from './campaign-progress.ts';
import { deleteCampaign, findCampaign } from './campaign-records.ts';
import { cancelBatches, cancelCampaign } from './campaigns.ts';
import { claimCampaignEmails, readCampaignBatch } from './claim-campaign-emails.ts';
import { noEvidence, readSendEventEvidence, settleBatch, undecided } from './settle-campaign.ts';

let database: TestDatabase;
let em: Em;
let projectId: string;
beforeAll(async () => {
  database = await createTestDatabase(24);
});
afterAll(() => database.close());
beforeEach(async () => {
  em = database.orm.em.fork();
  projectId = await insertProject(em);
});

const seconds = { lease: 20, live: 60, unknown: 120 };

async function start(recipients: number): Promise<string> {
  await insertContacts(em, projectId, recipients);
  return startCampaign(em, projectId);
}

async function claim(campaignId: string, limit = 500, token = uuidv7()): Promise<ClaimedEmail[]> {
  const batch = await readCampaignBatch(em, campaignId, 1);
  if (batch === undefined) throw new Error('There is a first batch');
  return claimCampaignEmails(database.orm.em.fork(), campaignId, batch, limit, token);
}

const record = (email: ClaimedEmail, rest: Partial<HandOverRecord>): HandOverRecord => ({
  emailId: email.id,
  status: 'SENT',
  messageId: `m-${email.id}`,
  reason: null,
  subject: 'Hello',
  eventId: newId(),
  occurredAt: new Date(),
  ...rest,
});
const counters = async (id: string) => (await findCampaign(em, projectId, id))?.counters;
const none = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  held: 0,
};
const statuses = async (id: string) =>
  Object.fromEntries(
    (
      await sql<{ status: string; count: number }>(
        em,
        'select status, count(*)::int as count from emails where campaign_id = $1 group by status',
        [id],
      )
    ).map(({ status, count }) => [status, count]),
  );
/** Emails that are counted for the project, by month. */
const usage = () =>
  sql(
    em,
    `select usage_month(now()) = month as "isNow", sum(emails)::int as emails from billing_usage
     where project_id = $1 and category = 'campaigns' group by month`,
    [projectId],
  );
/** As if the campaign had begun in the month before. */
async function beginMonthBefore(id: string): Promise<void> {
  await sql(em, `update campaigns set started_at = started_at - interval '1 month' where id = $1`, [id]);
  await sql(em, `update billing_usage set month = month - interval '1 month' where project_id = $1`, [
    projectId,
  ]);
}
/** Moves the claims of a campaign into the past. */
const age = (id: string, by: number) =>
  sql(em, 'update emails set claimed_at = claimed_at - make_interval(secs => $2) where campaign_id = $1', [
    id,
    by,
  ]);

describe('a claim of a batch', () => {
  it('takes the next emails in order, with their contacts, once', async () => {
    const id = await start(10);
    const [first, second, third] = [await claim(id, 4), await claim(id, 4), await claim(id, 4)];
    expect([first.length, second.length, third.length]).toEqual([4, 4, 2]);
    const all = [...first, ...second, ...third];
    expect(all.map((email) => email.contactData?.n)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
    expect(all[0]).toMatchObject({
      projectId,
      source: 'CAMPAIGN',
      type: 'MARKETING',
      toEmail: 'reader-1@example.com',
      attempts: 1,
      subscribed: true,
      suppressed: false,
      projectDisabled: false,
      contentId: expect.any(String),
    });
    expect(await claim(id)).toEqual([]);
  });

  it('gives each email to one of those who claim at once', async () => {
    const id = await start(400);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id, 60)));
    const ids = claims.flat().map((email) => email.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await statuses(id)).toEqual({
      SENDING: ids.length,
      ...(ids.length < 400 && { QUEUED: 400 - ids.length }),
    });
  });

  it('takes nothing of a campaign that was cancelled or whose project is disabled', async () => {
    const id = await start(3);
    await sql(em, 'update projects set disabled = true where id = $1', [projectId]);
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'disabled', queued: 3 });
    expect(await claim(id)).toEqual([]);
    await sql(em, 'update projects set disabled = false where id = $1', [projectId]);
    await cancelCampaign(em, { id, outboxId: newId() });
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'over' });
    expect(await claim(id)).toEqual([]);
  });

  it('waits for a cancel that is under way, and then takes nothing', async () => {
    const id = await start(3);
    const claimed = await em.transactional(async (transaction) => {
      await cancelCampaign(transaction, { id, outboxId: newId() });
      const waiting = claim(id);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { waiting };
    });
    expect(await claimed.waiting).toEqual([]);
  });
});

describe('the figures of a campaign', () => {
  it('follow the hand-overs and the events of the provider, each recipient once', async () => {
    const id = await start(8);
    const token = uuidv7();
    const [a, b, c, d, e, f, g, h] = await claim(id, 500, token);
    if (!a || !b || !c || !d || !e || !f || !g || !h) throw new Error('Eight were claimed');
    await recordHandOvers(em, token, [
      ...[a, b, c, d].map((email) => record(email, {})),
      record(e, { status: 'FAILED', messageId: null, reason: 'refused' }),
      record(f, { status: 'SUPPRESSED', messageId: null }),
      record(g, { status: 'UNKNOWN', messageId: null }),
      record(h, { status: 'QUEUED', messageId: null }),
    ]);
    expect(await counters(id)).toEqual({ ...none, sent: 4, held: 2 });

    const event = (email: ClaimedEmail, kind: Parameters<typeof providerEvent>[1], rest = {}) =>
      applyProviderEvents(em, [providerEvent(email.id, kind, rest)]);
    for (const email of [a, b, c]) await event(email, 'delivery');
    for (const email of [a, a, b]) await event(email, 'open');
    for (const email of [a, a, c]) await event(email, 'click');
    for (const email of [d, d]) await event(email, 'bounce');
    await event(d, 'bounce', { bounceType: 'Transient' });
    for (const email of [b, b]) await event(email, 'complaint');
    await event(g, 'send');
    const expected = {
      ...none,
      sent: 5,
      delivered: 3,
      opened: 3,
      clicked: 2,
      bounced: 1,
      complained: 1,
      held: 2,
    };
    expect(await counters(id)).toEqual(expected);
    // What we took for refused was delivered after all.
    await event(e, 'delivery');
    expect(await counters(id)).toEqual({ ...expected, sent: 6, delivered: 4, held: 1 });
    expect(await recountCampaign(em, id)).toBe(0);
  });

  it('count what a deleted contact does not get any more, and it is not consumed', async () => {
    const id = await start(4);
    await beginMonthBefore(id);
    const token = uuidv7();
    const [first] = await claim(id, 1, token);
    if (first === undefined) throw new Error('One was claimed');
    await recordHandOvers(em, token, [record(first, {})]);
    const rows = await sql<{ contactId: string }>(
      em,
      'select contact_id as "contactId" from emails where campaign_id = $1 order by id',
      [id],
    );
    const [one = '', other = '', late = ''] = rows.map(({ contactId }) => contactId);
    await deleteContacts(em, projectId, [one, other]);
    expect(await statuses(id)).toEqual({ SENT: 1, CANCELLED: 1, QUEUED: 2 });
    expect(await counters(id)).toEqual({ ...none, sent: 1, held: 1 });
    expect(await usage()).toEqual([{ isNow: false, emails: 3 }]);
    // As when the audience was being frozen while the contact was deleted.
    await sql(em, 'delete from contacts where id = $1', [late]);
    await eraseContactTraces(em, projectId, [late]);
    expect(await counters(id)).toEqual({ ...none, sent: 1, held: 2 });
    expect(await usage()).toEqual([{ isNow: false, emails: 2 }]);
    expect(await recountCampaign(em, id)).toBe(0);
  });

  it('stay the same when they are folded, also by several at once', async () => {
    const id = await start(30);
    for (let n = 0; n < 10; n += 1) {
      const token = uuidv7();
      const claimed = await claim(id, 3, token);
      await recordHandOvers(
        em,
        token,
        claimed.map((email) => record(email, {})),
      );
      await applyProviderEvents(
        em,
        claimed.map((email) => providerEvent(email.id, 'delivery')),
      );
      if (n % 3 === 0) await Promise.all([1, 2].map(() => foldCampaignFigures(database.orm.em.fork())));
    }
    const expected = { ...none, sent: 30, delivered: 30 };
    expect(await counters(id)).toEqual(expected);
    await foldCampaignFigures(em);
    expect(await counters(id)).toEqual(expected);
    expect(await sql(em, 'select from campaign_figure_changes where campaign_id = $1', [id])).toEqual([]);
  });

  it('are put right, and the difference told, when they are wrong', async () => {
    const id = await start(5);
    const token = uuidv7();
    await recordHandOvers(
      em,
      token,
      (await claim(id, 5, token)).map((email) => record(email, {})),
    );
    await sql(em, 'insert into campaign_figure_changes (campaign_id, sent, opened) values ($1, 2, -1)', [id]);
    expect(await recountCampaign(em, id)).toBe(3);
    expect(await counters(id)).toEqual({ ...none, sent: 5 });
    expect(await recountCampaign(em, id)).toBe(0);
  });
});

describe('a cancelled campaign', () => {
  it('has its queued emails cancelled, and those that come back to the queue too', async () => {
    const id = await start(10);
    await beginMonthBefore(id);
    const token = uuidv7();
    const claimed = await claim(id, 4, token);
    await cancelCampaign(em, { id, outboxId: newId() });
    expect(await cancelBatches(em, id, 0, 10)).toBe(1);
    expect(await statuses(id)).toEqual({ SENDING: 4, CANCELLED: 6 });
    await recordHandOvers(
      em,
      token,
      claimed.map((email, index) => record(email, index < 2 ? {} : { status: 'QUEUED', messageId: null })),
    );
    expect(await statuses(id)).toEqual({ SENT: 2, CANCELLED: 8 });
    expect(await counters(id)).toEqual({ ...none, sent: 2, held: 8 });
    expect(await usage()).toEqual([{ isNow: false, emails: 2 }]);
    expect(await recountCampaign(em, id)).toBe(0);
  });

  it('has them cancelled when it is deleted meanwhile too', async () => {
    const id = await start(3);
    const token = uuidv7();
    const claimed = await claim(id, 3, token);
    await cancelCampaign(em, { id, outboxId: newId() });
    await deleteCampaign(em, projectId, id);
    await recordHandOvers(
      em,
      token,
      claimed.map((email) => record(email, { status: 'QUEUED', messageId: null })),
    );
    expect(await statuses(id)).toEqual({ CANCELLED: 3 });
    expect(await usage()).toEqual([{ isNow: true, emails: 0 }]);
  });
});

describe('what a run has left open', () => {
  async function leaveOpen(recipients = 6) {
    const id = await start(recipients);
    const token = uuidv7();
    return { id, token, claimed: await claim(id, 500, token) };
  }
  const settle = async (id: string) =>
    settleBatch(em, id, 1, seconds, await readSendEventEvidence(em, id, seconds));

  it('is left alone while the run may live', async () => {
    const { id } = await leaveOpen();
    await age(id, 30);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 6, waitMs: expect.closeTo(30_000, -4) });
    expect(await statuses(id)).toEqual({ SENDING: 6 });
    expect(await findOpenBatches(em, id, 0, 10)).toEqual([1]);
  });

  it('is in doubt when the run is dead, waits for the events, and is sent by them', async () => {
    const { id, claimed } = await leaveOpen();
    await age(id, 61);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await statuses(id)).toEqual({ UNKNOWN: 6 });
    await applyProviderEvents(
      em,
      claimed.map((email) => providerEvent(email.id, 'send')),
    );
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 0 });
    expect(await findOpenBatches(em, id, 0, 10)).toEqual([]);
    expect(await finishSending(em, id)).toBe(true);
    expect(await counters(id)).toEqual({ ...none, sent: 6 });
  });

  it('goes back to the queue when the events of others came and its own did not', async () => {
    const { id, claimed } = await leaveOpen();
    const [first] = claimed;
    await applyProviderEvents(em, [providerEvent(first?.id ?? '', 'send')]);
    await age(id, 141);
    expect(await settle(id)).toMatchObject({ queued: 5, waiting: 0 });
    expect(await statuses(id)).toEqual({ SENT: 1, QUEUED: 5 });
    expect(await findOpenBatches(em, id, 0, 10)).toEqual([1]);
    expect(await finishSending(em, id)).toBe(false);
    expect(await claim(id)).toHaveLength(5);
  });

  it('stays in doubt when the campaign was cancelled meanwhile', async () => {
    const { id, claimed } = await leaveOpen();
    await applyProviderEvents(em, [providerEvent(claimed[0]?.id ?? '', 'send')]);
    await age(id, 141);
    await cancelCampaign(em, { id, outboxId: newId() });
    expect(await settle(id)).toMatchObject({ queued: 0 });
    expect(await statuses(id)).toEqual({ SENT: 1, UNKNOWN: 5 });
  });

  it('stays in doubt for good where no events come, and holds up nobody', async () => {
    const { id } = await leaveOpen();
    // Of another installation's past, long before.
    await age(id, 141);
    expect(await settleBatch(em, id, 1, seconds, noEvidence)).toEqual({ queued: 0, waiting: 0, waitMs: 0 });
    expect(await statuses(id)).toEqual({ UNKNOWN: 6 });
    expect(await finishSending(em, id)).toBe(true);
    const [email] = await sql<{ id: string }>(em, 'select id from emails where campaign_id = $1', [id]);
    await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'delivery')]);
    expect(await counters(id)).toEqual({ ...none, sent: 1, delivered: 1 });
  });

  it('waits while events arrive but not all of them, and not for ever', async () => {
    const id = await start(9);
    const token = uuidv7();
    const early = await claim(id, 3, token);
    const occurredAt = new Date(Date.now() - 515_000);
    await recordHandOvers(
      em,
      token,
      early.map((email) => record(email, { occurredAt })),
    );
    await applyProviderEvents(em, [providerEvent(early[0]?.id ?? '', 'send', { occurredAt })]);
    await sql(em, `update emails set confirmed_at = sent_at + interval '1 second' where id = $1`, [
      early[0]?.id,
    ]);
    await age(id, 10);
    await claim(id, 6);
    await age(id, 500);
    const evidence = await readSendEventEvidence(em, id, seconds);
    expect(evidence).toMatchObject({ isComplete: false, lagSeconds: 1 });
    expect(await settleBatch(em, id, 1, seconds, evidence)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await statuses(id)).toEqual({ SENT: 3, UNKNOWN: 6 });
    const impatient = { ...seconds, unknown: 20 };
    expect(await settleBatch(em, id, 1, impatient, evidence)).toMatchObject({ queued: 0, waiting: 0 });
    expect(await statuses(id)).toEqual({ SENT: 3, UNKNOWN: 6 });
  });

  it('is not taken for lost before the slowest of such events would have come', async () => {
    const { id, claimed } = await leaveOpen();
    const occurredAt = new Date(Date.now() - 100_000);
    await applyProviderEvents(em, [providerEvent(claimed[0]?.id ?? '', 'send', { occurredAt })]);
    await age(id, 200);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 5 });
    await age(id, 45);
    expect(await settle(id)).toMatchObject({ queued: 5, waiting: 0 });
  });

  it('goes back when a hand-over that surely began later was confirmed, though others were not', async () => {
    const { id, claimed, token } = await leaveOpen();
    const [first, second] = claimed;
    if (!first || !second) throw new Error('Six were claimed');
    await recordHandOvers(em, token, [record(second, {})]);
    const evidenceOf = async (seconds_: number) => {
      const occurredAt = new Date(Date.now() - seconds_ * 1000);
      await sql(em, 'update emails set sent_at = $2, confirmed_at = $2 where id = $1', [
        first.id,
        occurredAt,
      ]);
      return readSendEventEvidence(em, id, seconds);
    };
    await age(id, 200);
    await sql(em, `update emails set status = 'SENT' where id = $1`, [first.id]);
    // Begun 40 seconds after the claim: the claim may have begun a hand-over of its own as late as that.
    expect(await settleBatch(em, id, 1, seconds, await evidenceOf(160))).toMatchObject({
      queued: 0,
      waiting: 4,
    });
    expect(await settleBatch(em, id, 1, seconds, await evidenceOf(140))).toMatchObject({ queued: 4 });
  });

  it('is judged by nobody who only sends', async () => {
    const { id } = await leaveOpen();
    await age(id, 100_000);
    expect(await settleBatch(em, id, 1, seconds, undecided)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await findOpenBatches(em, id, 0, 10)).toEqual([1]);
  });
});

describe('workflows that are lost', () => {
  it('are told of campaigns under way and overdue ones, once', async () => {
    const id = await start(1);
    await sql(em, 'delete from outbox');
    await sql(em, `update campaigns set updated_at = now() - interval '2 minutes' where id <> $1`, [id]);
    await sql(em, `update campaigns set status = 'SENT' where id <> $1`, [id]);
    expect(await remindCampaigns(em)).toBe(0);
    await sql(em, `update campaigns set updated_at = now() - interval '2 minutes' where id = $1`, [id]);
    expect(await remindCampaigns(em)).toBe(1);
    expect(await remindCampaigns(em)).toBe(0);
    expect(await sql(em, 'select kind, subject_id as "subjectId" from outbox')).toEqual([
      { kind: 'campaign.changed', subjectId: id },
    ]);
  });
});

it('remembers when the provider confirmed an email', async () => {
  const id = await start(1);
  const [email] = await claim(id);
  const confirmedAt = async () =>
    (
      await sql<{ at: Date | null }>(em, 'select confirmed_at as at from emails where id = $1', [email?.id])
    )[0]?.at;
  await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'delivery')]);
  expect(await confirmedAt()).toBeNull();
  await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'send')]);
  const first = await confirmedAt();
  expect(first).toEqual(expect.any(Date));
  await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'send')]);
  expect(await confirmedAt()).toEqual(first);
  expect(await readEmail(em, email?.id ?? '')).toMatchObject({ status: 'DELIVERED' });
});
