import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { cancelCampaign } from '../../../test/setup/campaigns.ts';
import { providerEvent } from '../../../test/setup/inputs.ts';
import { readEmail } from '../../../test/setup/read-database.ts';
import { sql } from '../../testing/sql.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import { beginHandOvers, recordHandOvers } from '../emails/hand-overs.ts';
import { remindCampaigns, remindCancelledCampaigns } from '../sweeps/requeue-commands.ts';
import { cancelBatches } from './cancel-batches.ts';
import { noEvidence, readSendEventEvidence, undecided } from './send-event-evidence.ts';
import { settleBatch } from './settle-batch.ts';
import {
  age,
  claim,
  counters,
  em,
  finish,
  none,
  openBatches,
  record,
  start,
  statuses,
  unknownSeconds,
  usage,
  useCampaignStage,
} from './testing/campaign-stage.ts';

useCampaignStage();

describe('emails that a run has left open', () => {
  async function leaveOpen(recipients = 6) {
    const id = await start(recipients);
    const token = uuidv7();
    return { id, token, claimed: await claim(id, 500, token) };
  }
  const settle = async (id: string) =>
    settleBatch(em, id, 1, unknownSeconds, await readSendEventEvidence(em, id, unknownSeconds));

  it('are left alone while the run may be alive', async () => {
    const { id } = await leaveOpen();
    await age(id, 30);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 6, waitMs: expect.closeTo(30_000, -4) });
    expect(await statuses(id)).toEqual({ SENDING: 6 });
    expect(await openBatches(id)).toEqual([1]);
  });

  it('are in doubt once the run is dead, wait for the events, and become SENT by them', async () => {
    const { id, claimed } = await leaveOpen();
    await age(id, 61);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await statuses(id)).toEqual({ UNKNOWN: 6 });
    await applyProviderEvents(
      em,
      claimed.map((email) => providerEvent(email.id, 'send')),
    );
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 0 });
    expect(await openBatches(id)).toEqual([]);
    expect(await finish(id)).toBe(true);
    expect(await counters(id)).toEqual({ ...none, sent: 6 });
  });

  it('return to the queue when the events of others arrived but theirs did not', async () => {
    const { id, claimed } = await leaveOpen();
    const [first] = claimed;
    await applyProviderEvents(em, [providerEvent(first?.id ?? '', 'send')]);
    await age(id, 141);
    expect(await settle(id)).toMatchObject({ queued: 5, waiting: 0 });
    expect(await statuses(id)).toEqual({ SENT: 1, QUEUED: 5 });
    expect(await openBatches(id)).toEqual([1]);
    expect(await finish(id)).toBe(false);
    expect(await claim(id)).toHaveLength(5);
  });

  it('return to the queue without events when their hand-over is recorded as not begun', async () => {
    const id = await start(6);
    const token = uuidv7();
    const claimed = await claim(id, 500, token, true);
    const begin = (emails: typeof claimed) =>
      beginHandOvers(
        em,
        emails.map((email) => ({ emailId: email.id, token })),
      );
    expect(await begin(claimed.slice(0, 2))).toEqual([true, true]);
    await age(id, 61);
    expect(await settleBatch(em, id, 1, unknownSeconds, noEvidence)).toMatchObject({ queued: 4 });
    expect(await statuses(id)).toEqual({ QUEUED: 4, UNKNOWN: 2 });
    // The process was only slow: emails it had not begun are no longer its own.
    expect(await begin(claimed.slice(2))).toEqual([false, false, false, false]);
    expect(await claim(id)).toHaveLength(4);
    // By a claim that counts as begun, as a process of an earlier version makes it.
    await age(id, 61);
    await settleBatch(em, id, 1, unknownSeconds, noEvidence);
    expect(await statuses(id)).toEqual({ UNKNOWN: 6 });
  });

  it('are canceled with their campaign when their hand-over is recorded as not begun', async () => {
    const id = await start(6);
    const token = uuidv7();
    const [first] = await claim(id, 500, token, true);
    await beginHandOvers(em, [{ emailId: first?.id ?? '', token }]);
    await cancelCampaign(em, id);
    await age(id, 61);
    expect(await settleBatch(em, id, 1, unknownSeconds, noEvidence)).toMatchObject({ queued: 5 });
    expect(await statuses(id)).toEqual({ QUEUED: 5, UNKNOWN: 1 });
    expect(await claim(id)).toEqual([]);
    expect(await openBatches(id)).toEqual([1]);
    await cancelBatches(em, id, 0, 10);
    expect(await statuses(id)).toEqual({ CANCELLED: 5, UNKNOWN: 1 });
    expect(await openBatches(id)).toEqual([]);
    expect(await counters(id)).toEqual({ ...none, held: 5 });
    expect(await usage()).toEqual([{ isNow: true, emails: 1 }]);
  });

  it('stay in doubt when the campaign was canceled meanwhile', async () => {
    const { id, claimed } = await leaveOpen();
    await applyProviderEvents(em, [providerEvent(claimed[0]?.id ?? '', 'send')]);
    await age(id, 141);
    await cancelCampaign(em, id);
    expect(await settle(id)).toMatchObject({ queued: 0 });
    expect(await statuses(id)).toEqual({ SENT: 1, UNKNOWN: 5 });
  });

  it('stay in doubt forever where no events arrive, and hold up nobody', async () => {
    const { id } = await leaveOpen();
    // Long before, from another installation.
    await age(id, 141);
    expect(await settleBatch(em, id, 1, unknownSeconds, noEvidence)).toEqual({
      queued: 0,
      dueInMs: 0,
      waiting: 0,
      waitMs: 0,
    });
    expect(await statuses(id)).toEqual({ UNKNOWN: 6 });
    expect(await finish(id)).toBe(true);
    const [email] = await sql<{ id: string }>(em, 'select id from emails where campaign_id = $1', [id]);
    await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'delivery')]);
    expect(await counters(id)).toEqual({ ...none, sent: 1, delivered: 1 });
  });

  it('wait while some events are missing, but not indefinitely', async () => {
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
    const evidence = await readSendEventEvidence(em, id, unknownSeconds);
    expect(evidence).toMatchObject({ completeAt: null, lagSeconds: 1 });
    expect(await settleBatch(em, id, 1, unknownSeconds, evidence)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await statuses(id)).toEqual({ SENT: 3, UNKNOWN: 6 });
    const impatient = 20;
    expect(await settleBatch(em, id, 1, impatient, evidence)).toMatchObject({ queued: 0, waiting: 0 });
    expect(await statuses(id)).toEqual({ SENT: 3, UNKNOWN: 6 });
  });

  it('are not considered lost by evidence from before their hand-over', async () => {
    const { id, claimed, token } = await leaveOpen();
    const [first] = claimed;
    if (!first) throw new Error('Six were claimed');
    const occurredAt = new Date(Date.now() - 600_000);
    await recordHandOvers(em, token, [record(first, { occurredAt })]);
    await sql(em, 'update emails set confirmed_at = sent_at where id = $1', [first.id]);
    const evidence = await readSendEventEvidence(em, id, unknownSeconds);
    const completeAt = new Date(Date.now() - 300_000);
    await age(id, 299);
    const early = { ...evidence, completeAt };
    expect(await settleBatch(em, id, 1, unknownSeconds, early)).toMatchObject({ queued: 0, waiting: 5 });
    expect(await settleBatch(em, id, 1, unknownSeconds, evidence)).toMatchObject({ queued: 5 });
  });

  it('are not considered lost before the slowest of such events would have arrived', async () => {
    const { id, claimed } = await leaveOpen();
    const occurredAt = new Date(Date.now() - 100_000);
    await applyProviderEvents(em, [providerEvent(claimed[0]?.id ?? '', 'send', { occurredAt })]);
    await age(id, 200);
    expect(await settle(id)).toMatchObject({ queued: 0, waiting: 5 });
    await age(id, 45);
    expect(await settle(id)).toMatchObject({ queued: 5, waiting: 0 });
  });

  it('are requeued when a hand-over that certainly began later was confirmed, even if others were not', async () => {
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
      return readSendEventEvidence(em, id, unknownSeconds);
    };
    await age(id, 200);
    await sql(em, `update emails set status = 'SENT' where id = $1`, [first.id]);
    // Begun 40 seconds after the claim: the claim may have begun a hand-over of its own as late as that.
    expect(await settleBatch(em, id, 1, unknownSeconds, await evidenceOf(160))).toMatchObject({
      queued: 0,
      waiting: 4,
    });
    expect(await settleBatch(em, id, 1, unknownSeconds, await evidenceOf(140))).toMatchObject({ queued: 4 });
  });

  it('are left to the campaign by a run that only sends', async () => {
    const { id } = await leaveOpen();
    await age(id, 100_000);
    expect(await settleBatch(em, id, 1, unknownSeconds, undecided)).toMatchObject({ queued: 0, waiting: 6 });
    expect(await openBatches(id)).toEqual([1]);
  });
});

describe('lost workflows', () => {
  it('are signaled once for running and overdue campaigns', async () => {
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

  it('are signaled for canceled campaigns until their emails are settled', async () => {
    const id = await start(1);
    await claim(id);
    await cancelCampaign(em, id);
    const remind = async () => {
      await sql(em, 'delete from outbox');
      await remindCancelledCampaigns(em);
      // Not while a command is on its way.
      expect(await remindCancelledCampaigns(em)).toBe(0);
      return sql(em, 'select kind from outbox where subject_id = $1', [id]);
    };
    // The command of the cancellation may still be on its way.
    expect(await remind()).toEqual([]);
    await sql(em, `update campaigns set cancelled_at = now() - interval '61 minutes' where id = $1`, [id]);
    expect(await remind()).toEqual([{ kind: 'campaign.changed' }]);
    await age(id, 61);
    await settleBatch(em, id, 1, unknownSeconds, noEvidence);
    await cancelBatches(em, id, 0, 10);
    expect(await openBatches(id)).toEqual([]);
    expect(await remind()).toEqual([]);
  });

  it('get far fewer signals than a workflow accepts, however long their campaign runs', async () => {
    const id = await start(1);
    await sql(em, `update campaigns set status = 'SENT' where id <> $1`, [id]);
    let signals = 0;
    for (let minute = 90; minute < 100; minute += 1) {
      await sql(em, `update campaigns set updated_at = now() - make_interval(mins => $2) where id = $1`, [
        id,
        minute,
      ]);
      await sql(em, 'delete from outbox');
      signals += await remindCampaigns(em);
    }
    expect(signals).toBe(1);
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
