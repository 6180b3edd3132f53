import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { acceptInput, handOverRecord, providerEvent } from '../../../test/setup/inputs.ts';
import { readEmail } from '../../../test/setup/read-database.ts';
import { sql } from '../../testing/sql.ts';
import { acceptEmails } from './accept-emails.ts';
import { applyProviderEvents } from './apply-provider-events.ts';
import { claimEmails } from './claim-emails.ts';
import { beginHandOvers, recordHandOvers } from './hand-overs.ts';
import {
  accept,
  acceptOne,
  age,
  claim,
  claimAndBegin,
  database,
  em,
  findOpen,
  liveSeconds,
  projectId,
  unknownSeconds,
  useClaimStage,
} from './testing/claim-stage.ts';

useClaimStage();

describe('a claim', () => {
  it('lives longer by the time to send large attachments, until its outcome is recorded', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claim([emailId], token);
    await beginHandOvers(em, [{ emailId, token, uploadSeconds: 100 }]);
    await age(emailId, liveSeconds + 30);
    await findOpen([emailId]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'SENDING' });
    await recordHandOvers(em, token, [handOverRecord(emailId)]);
    const [{ ahead } = { ahead: true }] = await sql<{ ahead: boolean }>(
      em,
      'select claimed_at > now() as ahead from emails where id = $1',
      [emailId],
    );
    expect(ahead).toBe(false);
  });

  it('takes queued emails with everything that rendering and the rules need, oldest first', async () => {
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
        triedSince: null,
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

  it('reports a deleted project as disabled, and nothing about an erased contact', async () => {
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
  ])('leaves alone an email that is %s', async (status) => {
    const emailId = await acceptOne();
    await sql(em, "update emails set status = $2, claimed_at = now() - interval '1 day' where id = $1", [
      emailId,
      status,
    ]);
    const before = await readEmail(em, emailId);
    expect(await claim([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toEqual(before);
  });

  it('says since when the provider has deferred an email', async () => {
    const emailId = await acceptOne();
    const putBack = async (triedSince?: Date) => {
      const token = uuidv7();
      const [email] = await claimEmails(em, [emailId], token, unknownSeconds);
      const record = handOverRecord(emailId, { status: 'QUEUED', triedSince: triedSince ?? null });
      // The answer to the first may have been lost.
      for (const records of [[record], [record]]) await recordHandOvers(em, token, records);
      return email?.triedSince;
    };
    const triedSince = new Date(Date.now() - 3_600_000);
    expect([await putBack(), await putBack(triedSince), await putBack(triedSince)]).toEqual([
      null,
      null,
      triedSince,
    ]);
    // A process that died before the hand-over.
    await claim([emailId]);
    await age(emailId, liveSeconds + 1);
    await findOpen([emailId]);
    expect(await putBack()).toBeNull();
  });

  it('leaves an email that the provider defers to its time', async () => {
    const emailId = await acceptOne();
    const token = uuidv7();
    await claimEmails(em, [emailId], token, unknownSeconds);
    const retryAt = new Date(Date.now() + 600_000);
    await recordHandOvers(em, token, [handOverRecord(emailId, { status: 'QUEUED', retryAt })]);
    expect(await findOpen([emailId])).toMatchObject([{ dueInMs: expect.closeTo(600_000, -5) }]);
    expect(await claim([emailId])).toEqual([]);
    await sql(em, 'update emails set retry_at = now() where id = $1', [emailId]);
    expect(await claim([emailId])).toHaveLength(1);
  });

  it('does not wait for an email locked by another transaction', async () => {
    const [held = '', free = ''] = await accept(2);
    await em.transactional(async (transaction) => {
      await sql(transaction, 'select 1 from emails where id = $1 for update', [held]);
      const claimed = await claimEmails(database.em(), [held, free], uuidv7(), unknownSeconds);
      expect(claimed.map((email) => email.id)).toEqual([free]);
    });
  });

  it('gives each email to one of many concurrent claims, and none is left', async () => {
    const emailIds = await accept(200);
    const claims = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const mine = index % 2 ? emailIds : emailIds.toReversed();
        return claimEmails(database.em(), mine, uuidv7(), unknownSeconds);
      }),
    );
    const claimed = claims.flat().map((email) => email.id);
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed)).toEqual(new Set(emailIds));
    for (const own of claims)
      expect(own.map((email) => email.id)).toEqual(own.map((email) => email.id).sort());
  });
});

describe('an email with an unanswered hand-over', () => {
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

  it('is reclaimed only after the time in which its Send event may arrive', async () => {
    const emailId = await acceptOne();
    const startedAt = performance.now();
    await leaveUnknown(emailId);
    await age(emailId, unknownSeconds - 100);
    expect(await claim([emailId])).toEqual([]);
    const [open] = await findOpen([emailId]);
    expect(open?.dueInMs).toBeGreaterThan(99_990 - (performance.now() - startedAt));
    expect(open?.dueInMs).toBeLessThanOrEqual(100_000);

    await age(emailId, 100);
    await leaveUnknown(emailId);
    await age(emailId, 10 * unknownSeconds);
    expect(await claim([emailId])).toEqual([]);
    expect(await findOpen([emailId])).toEqual([]);
    expect(await readEmail(em, emailId)).toMatchObject({ status: 'UNKNOWN', attempts: 2 });
  });

  it('is never reclaimed when it belongs to a campaign', async () => {
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

  it('keeps its attempt count when the second attempt is put back into the queue', async () => {
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
