import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, handOverRecord, providerEvent } from '../../../test/setup/inputs.ts';
import { findWrongCounts, readEmail, readEvents } from '../../../test/setup/read-database.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { acceptEmails } from './accept-emails.ts';
import { applyProviderEvents } from './apply-provider-events.ts';
import { beginHandOvers } from './begin-hand-overs.ts';
import { claimEmails } from './claim-emails.ts';
import { findOpenEmails } from './find-open-emails.ts';
import { recordHandOvers } from './record-hand-overs.ts';

let database: TestDatabase;
let em: Em;
let projectId: string;
beforeAll(async () => {
  database = await createTestDatabase(24);
});
afterAll(() => database.close());
beforeEach(() => {
  em = database.orm.em.fork();
  projectId = randomUUID();
});

const unknownSeconds = 120;
const liveSeconds = 60;

async function accept(count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `user${index}@example.com`);
  const [emails = []] = await acceptEmails(em, [acceptInput(projectId, addresses)]);
  return emails.map((email) => email.emailId);
}

async function acceptOne(): Promise<string> {
  const [emailId] = await accept(1);
  if (emailId === undefined) throw new Error('The call had a recipient');
  return emailId;
}

const claim = async (emailIds: string[], token = uuidv7()) =>
  (await claimEmails(em, emailIds, token, unknownSeconds)).map((email) => email.id);

const begin = (emailIds: string[], token: string) =>
  beginHandOvers(
    em,
    emailIds.map((emailId) => ({ emailId, token })),
  );

/** Claims what can be claimed of the emails, and begins to hand it over. */
async function claimAndBegin(emailIds: string[], token = uuidv7()): Promise<string[]> {
  const claimed = await claim(emailIds, token);
  await begin(claimed, token);
  return claimed;
}

const findOpen = (emailIds: string[]) => findOpenEmails(em, emailIds, unknownSeconds, liveSeconds);

/** Moves the claim of an email into the past. */
const age = (emailId: string, seconds: number) =>
  sql(em, 'update emails set claimed_at = claimed_at - make_interval(secs => $2) where id = $1', [
    emailId,
    seconds,
  ]);

describe('a claim', () => {
  it('takes queued emails with all that rendering and the rules need, oldest first', async () => {
    await sql(
      em,
      `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted,
         secret_key_encrypted, suppress_transactional)
       values ($1, 'Project', $2, $3, '', '', true)`,
      [projectId, Buffer.from(randomUUID()), Buffer.from(randomUUID())],
    );
    const call = acceptInput(projectId, ['a@example.com'], { patch: { name: 'Ann' }, subscribed: true });
    const [[accepted] = []] = await acceptEmails(em, [call]);
    const emailId = accepted?.emailId ?? '';
    await sql(em, `update emails set to_name = 'Ann A.' where id = $1`, [emailId]);
    const token = uuidv7();
    expect(await claimEmails(em, [emailId], token, unknownSeconds)).toEqual([
      {
        id: emailId,
        projectId,
        contactId: accepted?.contactId,
        contentId: call.contentId,
        source: 'TRANSACTIONAL',
        type: 'TRANSACTIONAL',
        toEmail: 'a@example.com',
        toName: 'Ann A.',
        attempts: 0,
        createdAt: call.occurredAt,
        projectDisabled: false,
        suppressTransactional: true,
        contactEmail: 'a@example.com',
        subscribed: true,
        suppressed: false,
        contactData: { name: 'Ann' },
      },
    ]);
    expect(await readEmail(em, emailId)).toMatchObject({
      status: 'SENDING',
      claimToken: token,
      claimedAt: expect.any(Date),
      attempts: 0,
    });
  });

  it('tells of a project that is gone as disabled, and of an erased contact nothing', async () => {
    const emailId = await acceptOne();
    await sql(em, 'update emails set contact_id = null where id = $1', [emailId]);
    expect(await claimEmails(em, [emailId], uuidv7(), unknownSeconds)).toMatchObject([
      { projectDisabled: true, contactEmail: null, subscribed: null, suppressed: false, contactData: null },
    ]);
  });

  it.each([
    'SENDING',
    'SENT',
    'DELIVERED',
    'OPENED',
    'CLICKED',
    'BOUNCED',
    'COMPLAINED',
    'FAILED',
    'SUPPRESSED',
    'CANCELLED',
  ])('leaves an email alone that is %s', async (status) => {
    const emailId = await acceptOne();
    await sql(em, "update emails set status = $2, claimed_at = now() - interval '1 day' where id = $1", [
      emailId,
      status,
    ]);
    const before = await readEmail(em, emailId);
    expect(await claim([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toEqual(before);
  });

  it('does not wait for an email that another transaction holds', async () => {
    const [held = '', free = ''] = await accept(2);
    await em.transactional(async (transaction) => {
      await sql(transaction, 'select 1 from emails where id = $1 for update', [held]);
      const claimed = await claimEmails(database.orm.em.fork(), [held, free], uuidv7(), unknownSeconds);
      expect(claimed.map((email) => email.id)).toEqual([free]);
    });
  });

  it('gives each email to one of many that claim at once, and none is left', async () => {
    const emailIds = await accept(200);
    const claims = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const mine = index % 2 ? emailIds : emailIds.toReversed();
        return claimEmails(database.orm.em.fork(), mine, uuidv7(), unknownSeconds);
      }),
    );
    const claimed = claims.flat().map((email) => email.id);
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed)).toEqual(new Set(emailIds));
    for (const own of claims)
      expect(own.map((email) => email.id)).toEqual(own.map((email) => email.id).sort());
  });
});

describe('an email whose hand-over was not answered', () => {
  async function leaveUnknown(emailId: string): Promise<void> {
    const token = uuidv7();
    expect(await claimAndBegin([emailId], token)).toEqual([emailId]);
    await recordHandOvers(em, token, [handOverRecord(emailId, { status: 'UNKNOWN', reason: 'no answer' })]);
    expect(await readEmail(em, emailId)).toMatchObject({
      status: 'UNKNOWN',
      reason: 'no answer',
      sentAt: null,
    });
  }

  it('is claimed once more, and only after the time in which its Send event may come', async () => {
    const emailId = await acceptOne();
    await leaveUnknown(emailId);
    await age(emailId, unknownSeconds - 10);
    expect(await claim([emailId])).toEqual([]);
    const [open] = await findOpen([emailId]);
    expect(open?.dueInMs).toBeGreaterThan(8_000);
    expect(open?.dueInMs).toBeLessThanOrEqual(10_000);

    await age(emailId, 10);
    await leaveUnknown(emailId);
    await age(emailId, 10 * unknownSeconds);
    expect(await claim([emailId])).toEqual([]);
    expect(await findOpen([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'UNKNOWN', attempts: 2 });
  });

  it('is never claimed again when it is of a campaign', async () => {
    const emailId = await acceptOne();
    await sql(em, `update emails set source = 'CAMPAIGN' where id = $1`, [emailId]);
    await leaveUnknown(emailId);
    await age(emailId, 10 * unknownSeconds);
    expect(await claim([emailId])).toEqual([]);
    expect(await findOpen([emailId])).toEqual([]);
  });

  it('is settled by the Send event', async () => {
    const emailId = await acceptOne();
    await leaveUnknown(emailId);
    await applyProviderEvents(em, [providerEvent(emailId, 'send')]);
    await age(emailId, 10 * unknownSeconds);
    expect(await claim([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENT', reason: null, attempts: 1 });
  });

  it('keeps its tries when the second one is put back into the queue', async () => {
    const emailId = await acceptOne();
    await leaveUnknown(emailId);
    await age(emailId, unknownSeconds);
    const token = uuidv7();
    expect(await claimAndBegin([emailId], token)).toEqual([emailId]);
    await recordHandOvers(em, token, [handOverRecord(emailId, { status: 'QUEUED', reason: 'throttled' })]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'QUEUED', attempts: 1 });
    await leaveUnknown(emailId);
    await age(emailId, 10 * unknownSeconds);
    expect(await claim([emailId])).toEqual([]);
  });
});

describe('a run that died with its claims', () => {
  it('leaves what it had begun UNKNOWN once no run can be at work with it', async () => {
    const emailIds = await accept(2);
    await claimAndBegin(emailIds);
    const [dead = '', alive = ''] = emailIds;
    await age(dead, liveSeconds + 1);
    await age(alive, liveSeconds - 10);
    const open = new Map((await findOpen(emailIds)).map((email) => [email.id, email.dueInMs]));
    expect(await readEmail(em, dead)).toMatchObject({
      status: 'UNKNOWN',
      reason: 'the process ended during the hand-over',
      attempts: 1,
    });
    expect(await readEmail(em, alive)).toMatchObject({ status: 'SENDING' });
    expect(open.get(dead)).toBeGreaterThan((unknownSeconds - liveSeconds - 5) * 1_000);
    expect(open.get(dead)).toBeLessThan((unknownSeconds - liveSeconds) * 1_000);
    expect(open.get(alive)).toBeGreaterThan(5_000);
    expect(open.get(alive)).toBeLessThanOrEqual(10_000);
  });

  it('puts what it had not begun back into the queue, at the cost of no try, however often that happens', async () => {
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

  it('keeps the one more try of an email whose first hand-over got no answer', async () => {
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

  it('of a version that noted no beginnings counts as one that had begun', async () => {
    const emailId = await acceptOne();
    await claim([emailId]);
    await sql(em, 'update emails set hand_over_begun = null, attempts = 1 where id = $1', [emailId]);
    await age(emailId, liveSeconds + 1);
    await findOpen([emailId]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'UNKNOWN', attempts: 1 });
  });

  it('begins nothing any more when others have its claim, or the provider has said something', async () => {
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

  it('may record late what it knows as long as nobody else has claimed them', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claimAndBegin([emailId], token);
    await age(emailId, liveSeconds + 1);
    await findOpen([emailId]);
    expect(await recordHandOvers(em, token, [handOverRecord(emailId, { messageId: 'm-1' })])).toBe(1);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENT', messageId: 'm-1', reason: null });
  });

  it('changes nothing any more once its claim has gone to another run', async () => {
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
  it('settle each email of a batch in its own way and tell of those that left or were held back', async () => {
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

  it('do not move an email that the provider has moved on meanwhile', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claim([emailId], token);
    await applyProviderEvents(em, [providerEvent(emailId, 'bounce')]);
    const record = handOverRecord(emailId, { status: 'UNKNOWN', reason: 'no answer', subject: 'Hello' });
    expect(await recordHandOvers(em, token, [record])).toBe(1);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'BOUNCED', reason: null, subject: 'Hello' });
  });
});
