import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { cancelCampaign, insertContacts, insertDraft, startSending } from '../../../test/setup/campaigns.ts';
import { providerEvent } from '../../../test/setup/inputs.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../testing/sql.ts';
import { eraseContactTraces } from '../contacts/contact-erasures.ts';
import { deleteContacts } from '../contacts/delete-contacts.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import type { ClaimedEmail } from '../emails/claimed-email.ts';
import { recordHandOvers } from '../emails/hand-overs.ts';
import { readSendingBacklog } from '../outbox/read-outbox-figures.ts';
import { recordErasure } from '../projects/erasure-orders.ts';
import { foldCampaignFigures, recountCampaign } from './campaign-figures.ts';
import { cancelBatches } from './cancel-batches.ts';
import { freezeAudience } from './freeze-audience.ts';
import { readCampaignBatch } from './read-campaign-batch.ts';
import { undecided } from './send-event-evidence.ts';
import { settleBatch } from './settle-batch.ts';
import {
  beginMonthBefore,
  claim,
  counters,
  database,
  em,
  none,
  openBatches,
  projectId,
  record,
  start,
  statuses,
  usage,
  useCampaignStage,
} from './testing/campaign-stage.ts';

useCampaignStage();

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

  it('says since when the provider has deferred an email', async () => {
    const id = await start(2);
    const token = uuidv7();
    const [first] = await claim(id, 1, token);
    if (first === undefined) throw new Error('One was claimed');
    const triedSince = new Date(Date.now() - 3_600_000);
    await recordHandOvers(em, token, [record(first, { status: 'QUEUED', messageId: null, triedSince })]);
    expect((await claim(id)).map((email) => email.triedSince)).toEqual([triedSince, null]);
  });

  it('leaves an email that the provider defers to its time, and says when that is', async () => {
    const id = await start(3);
    const token = uuidv7();
    const [first] = await claim(id, 1, token);
    if (first === undefined) throw new Error('One was claimed');
    const retryAt = new Date(Date.now() + 600_000);
    await recordHandOvers(em, token, [record(first, { status: 'QUEUED', messageId: null, retryAt })]);
    const settle = () => settleBatch(em, id, 1, 60, undecided);
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ due: 2 });
    expect(await settle()).toMatchObject({ queued: 3, dueInMs: 0 });
    const others = uuidv7();
    const claimed = await claim(id, 500, others);
    expect(claimed.map((email) => email.contactData?.n)).toEqual([2, 3]);
    await recordHandOvers(
      em,
      others,
      claimed.map((email) => record(email, {})),
    );
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ due: 0 });
    expect(await settle()).toMatchObject({ queued: 1, waiting: 0, dueInMs: expect.closeTo(600_000, -5) });
    expect(await openBatches(id)).toEqual([1]);
    await sql(em, `update emails set retry_at = now() where id = $1`, [first.id]);
    expect((await claim(id)).map((email) => email.id)).toEqual([first.id]);
  });

  it('gives each email to only one of several concurrent claims', async () => {
    const id = await start(400);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id, 60)));
    const ids = claims.flat().map((email) => email.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await statuses(id)).toEqual({
      SENDING: ids.length,
      ...(ids.length < 400 && { QUEUED: 400 - ids.length }),
    });
  });

  it('takes nothing from a canceled campaign or a disabled project', async () => {
    const id = await start(3);
    await sql(em, 'update projects set disabled = true where id = $1', [projectId]);
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'paused', due: 3 });
    expect(await claim(id)).toEqual([]);
    await sql(em, 'update projects set disabled = false where id = $1', [projectId]);
    await cancelCampaign(em, id);
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'over' });
    expect(await claim(id)).toEqual([]);
  });

  it('takes nothing while the sender domain is not verified for the project', async () => {
    const id = await start(3);
    const become = (status: string) =>
      sql(em, 'update domains set status = $2 where project_id = $1', [projectId, status]);
    const backlog = async () => (await readSendingBacklog(em)).campaigns.find((own) => own.id === id)?.emails;
    expect(await backlog()).toBe(3);
    await become('pending');
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'paused', due: 3 });
    expect(await claim(id)).toEqual([]);
    // Nobody has to be woken up for this.
    expect(await backlog()).toBeUndefined();
    await become('verified');
    expect(await backlog()).toBe(3);
    expect(await readCampaignBatch(em, id, 1)).toMatchObject({ state: 'sending' });
    expect(await claim(id)).toHaveLength(3);
  });

  it.each<[string, (transaction: Em, id: string) => Promise<void>]>([
    ['a cancel', cancelCampaign],
    ['an erasure', (transaction) => recordErasure(transaction, { id: newId(), projectId, isReset: true })],
  ])('waits for %s in progress, and then takes nothing', async (_name, end) => {
    const id = await start(3);
    const claimed = await em.transactional(async (transaction) => {
      await end(transaction, id);
      const waiting = claim(id);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { waiting };
    });
    expect(await claimed.waiting).toEqual([]);
  });

  it('does not wait for the freeze, which continues meanwhile', async () => {
    await insertContacts(em, projectId, 10);
    const id = await insertDraft(em, projectId);
    await startSending(em, id);
    await freezeAudience(em, id, 4);
    await em.transactional(async (transaction) => {
      await freezeAudience(transaction, id, 3);
      expect(await claim(id)).toHaveLength(4);
    });
    expect(await claim(id)).toHaveLength(3);
  });
});

describe('the figures of a campaign', () => {
  it('follow hand-overs and provider events, each recipient once', async () => {
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
    // An email that we took for refused was delivered after all.
    await event(e, 'delivery');
    expect(await counters(id)).toEqual({ ...expected, sent: 6, delivered: 4, held: 1 });
    expect(await recountCampaign(em, id)).toBe(0);
  });

  it('count emails withheld from a deleted contact, which use no quota', async () => {
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

  it('stay the same when they are folded, even concurrently', async () => {
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
      if (n % 3 === 0) await Promise.all([1, 2].map(() => foldCampaignFigures(database.em())));
    }
    const expected = { ...none, sent: 30, delivered: 30 };
    expect(await counters(id)).toEqual(expected);
    await foldCampaignFigures(em);
    expect(await counters(id)).toEqual(expected);
    expect(await sql(em, 'select from campaign_figure_changes where campaign_id = $1', [id])).toEqual([]);
  });

  it('do not include changes of emails after the campaign was deleted', async () => {
    const id = await start(1);
    const [email] = await claim(id);
    await foldCampaignFigures(em);
    for (const table of ['campaigns where id', 'campaign_figures where campaign_id'])
      await sql(em, `delete from ${table} = $1`, [id]);
    await applyProviderEvents(em, [providerEvent(email?.id ?? '', 'open')]);
    await foldCampaignFigures(em);
    for (const table of ['campaign_figures', 'campaign_figure_changes'])
      expect(await sql(em, `select from ${table} where campaign_id = $1`, [id])).toEqual([]);
  });

  it('are corrected when they are wrong, and the difference is reported', async () => {
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

describe('a canceled campaign', () => {
  it('has its queued emails canceled, and emails that return to the queue too', async () => {
    const id = await start(10);
    await beginMonthBefore(id);
    const token = uuidv7();
    const claimed = await claim(id, 4, token);
    await cancelCampaign(em, id);
    expect(await cancelBatches(em, id, 0, 10)).toBe(1);
    expect(await statuses(id)).toEqual({ SENDING: 4, CANCELLED: 6 });
    await recordHandOvers(
      em,
      token,
      claimed.map((email, index) => record(email, index < 2 ? {} : { status: 'QUEUED', messageId: null })),
    );
    expect(await statuses(id)).toEqual({ SENT: 2, CANCELLED: 8 });
    const reasons = await sql(
      em,
      `select distinct reason from emails where campaign_id = $1 and status = 'CANCELLED'`,
      [id],
    );
    expect(reasons).toEqual([{ reason: 'the campaign was cancelled' }]);
    expect(await counters(id)).toEqual({ ...none, sent: 2, held: 8 });
    expect(await usage()).toEqual([{ isNow: false, emails: 2 }]);
    expect(await recountCampaign(em, id)).toBe(0);
  });

  it('ends a batch with its last claim', async () => {
    const id = await start(3);
    const token = uuidv7();
    const claimed = await claim(id, 2, token);
    await cancelCampaign(em, id);
    await cancelBatches(em, id, 0, 10);
    expect(await openBatches(id)).toEqual([1]);
    await recordHandOvers(
      em,
      token,
      claimed.map((email) => record(email, { status: 'QUEUED', messageId: null })),
    );
    await cancelBatches(em, id, 0, 10);
    expect(await openBatches(id)).toEqual([]);
    expect(await statuses(id)).toEqual({ CANCELLED: 3 });
    expect(await usage()).toEqual([{ isNow: true, emails: 0 }]);
  });
});
