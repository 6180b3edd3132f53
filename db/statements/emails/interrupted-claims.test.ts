import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { acceptInput, handOverRecord, providerEvent } from '../../../test/setup/inputs.ts';
import { findWrongCounts, readEmail, readEvents } from '../../../test/setup/read-database.ts';
import { sql } from '../../testing/sql.ts';
import { acceptEmails } from './accept-emails.ts';
import { applyProviderEvents } from './apply-provider-events.ts';
import { recordHandOvers } from './hand-overs.ts';
import {
  accept,
  acceptOne,
  age,
  begin,
  claim,
  claimAndBegin,
  em,
  findOpen,
  liveSeconds,
  projectId,
  unknownSeconds,
  useClaimStage,
} from './testing/claim-stage.ts';

useClaimStage();

describe('a run that died with its claims', () => {
  it('leaves begun hand-overs UNKNOWN once no run can still be working on them', async () => {
    const emailIds = await accept(2);
    const startedAt = performance.now();
    await claimAndBegin(emailIds);
    const [dead = '', alive = ''] = emailIds;
    await age(dead, liveSeconds + 1);
    await age(alive, liveSeconds - 50);
    const open = new Map((await findOpen(emailIds)).map((email) => [email.id, email.dueInMs]));
    const tookMs = performance.now() - startedAt + 10;
    expect(await readEmail(em, dead)).toMatchObject({
      status: 'UNKNOWN',
      reason: 'the process ended during the hand-over',
      attempts: 1,
    });
    expect(await readEmail(em, alive)).toMatchObject({ status: 'SENDING' });
    expect(open.get(dead)).toBeGreaterThan((unknownSeconds - liveSeconds - 1) * 1_000 - tookMs);
    expect(open.get(dead)).toBeLessThan((unknownSeconds - liveSeconds) * 1_000);
    expect(open.get(alive)).toBeGreaterThan(50_000 - tookMs);
    expect(open.get(alive)).toBeLessThanOrEqual(50_000);
  });

  it('requeues hand-overs it had not begun, without counting an attempt, however often that happens', async () => {
    const emailId = await acceptOne();
    for (let death = 0; death < 5; death += 1) {
      expect(await claim([emailId])).toEqual([emailId]);
      await age(emailId, liveSeconds + 1);
      expect(await findOpen([emailId])).toMatchObject([{ id: emailId, dueInMs: 0 }]);
    }
    expect(await readEmail(em, emailId)).toMatchObject({
      status: 'QUEUED',
      attempts: 0,
      reason: 'the process ended before the hand-over',
    });
    expect(await claimAndBegin([emailId])).toEqual([emailId]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENDING', attempts: 1 });
  });

  it('keeps the second attempt of an email whose first hand-over got no answer', async () => {
    const emailId = await acceptOne();
    await claimAndBegin([emailId]);
    await age(emailId, unknownSeconds);
    for (let death = 0; death < 3; death += 1) {
      await findOpen([emailId]);
      expect(await claim([emailId])).toEqual([emailId]);
      await age(emailId, unknownSeconds);
    }
    await findOpen([emailId]);
    await claimAndBegin([emailId]);
    await age(emailId, unknownSeconds);
    expect(await findOpen([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'UNKNOWN', attempts: 2 });
    expect(await claim([emailId])).toEqual([]);
  });

  it('counts hand-overs of a version that recorded no beginnings as begun', async () => {
    const emailId = await acceptOne();
    await claim([emailId]);
    await sql(em, 'update emails set hand_over_begun = null, attempts = 1 where id = $1', [emailId]);
    await age(emailId, liveSeconds + 1);
    await findOpen([emailId]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'UNKNOWN', attempts: 1 });
  });

  it('begins nothing once others have its claim or a provider event has arrived', async () => {
    const [lost = '', sent = '', own = ''] = await accept(3);
    const [dead, alive] = [uuidv7(), uuidv7()];
    await claim([lost, sent, own], dead);
    await age(lost, liveSeconds + 1);
    await findOpen([lost]);
    await claim([lost], alive);
    await applyProviderEvents(em, [providerEvent(sent, 'send')]);
    expect(await begin([lost, sent, own], dead)).toEqual([false, false, true]);
    expect(await begin([own], dead)).toEqual([false]);
    expect(await begin([lost], alive)).toEqual([true]);
  });

  it('may record outcomes late as long as nobody else has claimed the emails', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claimAndBegin([emailId], token);
    await age(emailId, liveSeconds + 1);
    await findOpen([emailId]);
    expect(await recordHandOvers(em, token, [handOverRecord(emailId, { messageId: 'm-1' })])).toBe(1);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENT', messageId: 'm-1', reason: null });
  });

  it('changes nothing once its claim has gone to another run', async () => {
    const emailId = await acceptOne();
    const dead = uuidv7();
    await claim([emailId], dead);
    await sql(em, `update emails set status = 'UNKNOWN' where id = $1`, [emailId]);
    await age(emailId, unknownSeconds);
    const alive = uuidv7();
    await claim([emailId], alive);
    expect(
      await recordHandOvers(em, dead, [handOverRecord(emailId, { status: 'FAILED', reason: 'late' })]),
    ).toBe(0);
    expect(await readEmail(em, emailId)).toMatchObject({
      status: 'SENDING',
      claimToken: alive,
      reason: null,
    });
    expect(await readEvents(em, projectId)).toEqual([]);
  });
});

describe('records of hand-overs', () => {
  it('settle each email of a batch separately and journal sent and withheld ones', async () => {
    const emailIds = await accept(5);
    const token = uuidv7();
    await claimAndBegin(emailIds, token);
    const outcomes = ['SENT', 'FAILED', 'SUPPRESSED', 'UNKNOWN', 'QUEUED'] as const;
    const records = emailIds.map((emailId, index) =>
      handOverRecord(emailId, {
        status: outcomes[index] ?? 'SENT',
        messageId: index === 0 ? 'm-1' : null,
        reason: index === 0 ? null : `reason ${index}`,
        subject: index === 0 ? 'Hello' : null,
      }),
    );
    expect(await recordHandOvers(em, token, records)).toBe(5);
    const emails = await Promise.all(emailIds.map((emailId) => readEmail(em, emailId)));
    expect(emails.map((email) => [email?.status, email?.reason, email?.attempts, email?.subject])).toEqual([
      ['SENT', null, 1, 'Hello'],
      ['FAILED', 'reason 1', 1, null],
      ['SUPPRESSED', 'reason 2', 1, null],
      ['UNKNOWN', 'reason 3', 1, null],
      ['QUEUED', 'reason 4', 0, null],
    ]);
    expect(emails.map((email) => email?.sentAt)).toEqual([records[0]?.occurredAt, null, null, null, null]);
    expect(await readEvents(em, projectId)).toMatchObject([
      {
        id: records[0]?.eventId,
        name: 'email.sent',
        emailId: emailIds[0],
        occurredAt: records[0]?.occurredAt,
      },
      {
        id: records[2]?.eventId,
        name: 'email.suppressed',
        kind: 'activity',
        emailId: emailIds[2],
        data: { status: 'SUPPRESSED', reason: 'reason 2' },
      },
    ]);
    expect(await findWrongCounts(em, projectId)).toEqual([]);
  });

  it('count several emails of one contact in one batch', async () => {
    const addresses = ['a@example.com', 'b@example.com', 'a@example.com'];
    const [emails = []] = await acceptEmails(em, [acceptInput(projectId, addresses)]);
    const token = uuidv7();
    await claim(
      emails.map((email) => email.emailId),
      token,
    );
    const records = emails.map((email, index) =>
      handOverRecord(email.emailId, { occurredAt: new Date(Date.UTC(2026, 0, 3 - index)) }),
    );
    await recordHandOvers(em, token, records);
    expect(await findWrongCounts(em, projectId)).toEqual([]);
    const [stats] = await sql(
      em,
      'select count, last_event_id as "lastEventId" from contact_event_stats where contact_id = $1',
      [emails[0]?.contactId],
    );
    expect(stats).toEqual({ count: 2, lastEventId: records[0]?.eventId });
  });

  it('do not change an email that a provider event has moved on meanwhile', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claim([emailId], token);
    await applyProviderEvents(em, [providerEvent(emailId, 'bounce')]);
    const record = handOverRecord(emailId, { status: 'UNKNOWN', reason: 'no answer', subject: 'Hello' });
    expect(await recordHandOvers(em, token, [record])).toBe(1);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'BOUNCED', reason: null, subject: 'Hello' });
  });
});
