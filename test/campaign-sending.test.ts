import { describe, expect, it } from 'vitest';
import { emailsPerClaim } from '../core/campaign-batches.ts';
import { insertContacts } from './setup/campaigns.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { emailStatuses } from './setup/email-statuses.ts';
import { eventually } from './setup/eventually.ts';
import { readInbox } from './setup/inbox.ts';
import { replaceDomain, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, visitPage } from './setup/subscribers.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const create = (changes: object = {}) =>
  draftCampaign(sender, {
    body: '<p>Hello {{ n }}, <a href="https://shop.example/offer">an offer</a></p>',
    ...changes,
  });

const campaign = async (id: string) => (await sender.get(`/campaigns/${id}`)).body.data;
const sent = (id: string) =>
  eventually(
    () => campaign(id),
    ({ status }) => status === 'SENT',
  );
const stats = async (id: string) => (await sender.get(`/campaigns/${id}/stats`)).body;

const inbox = async (subject: string) => (await readInbox(stack.ses, { subject, limit: 5_000 })).messages;

async function contactId(email: string): Promise<string> {
  const rows = await stack.sql<{ id: string }>(
    'select id from contacts where project_id = $1 and email = $2',
    [sender.projectId, email],
  );
  return rows[0]?.id ?? '';
}

const statuses = (id: string) => emailStatuses(stack, 'campaign_id = $1', id);

/** The provider's events arrive after the campaign is sent. */
const delivered = (id: string, count: number) =>
  eventually(
    () => statuses(id),
    ({ DELIVERED }) => DELIVERED === count,
  );

describe('a campaign that is sent', () => {
  it('reaches everyone once, is SENT, and counts the outcomes of its emails', async () => {
    // More than the freeze takes at first, and than one claim.
    const recipients = emailsPerClaim + 20;
    await insertContacts(stack.em(), sender.projectId, recipients);
    const id = await create({ subject: `All of ${sender.projectId} {{ n }}` });
    const answer = await sender.post(`/campaigns/${id}/send`, {});
    expect(answer.status).toBe(200);
    expect(await sent(id)).toMatchObject({ totalRecipients: recipients, frozenAt: expect.any(String) });
    const messages = await inbox(`All of ${sender.projectId}`);
    expect(messages).toHaveLength(recipients);
    expect(new Set(messages.map(({ to }) => to[0])).size).toBe(recipients);
    expect(
      messages.every(({ to, subject }) => to[0] === `reader-${subject.split(' ').at(-1)}@example.com`),
    ).toBe(true);
    await eventually(
      () => stats(id),
      ({ deliveredCount }) => deliveredCount === recipients,
    );
    expect(await stats(id)).toMatchObject({ totalRecipients: recipients, sentCount: recipients });
    expect(await statuses(id)).toEqual({ DELIVERED: recipients });
  });

  it('is SENT at once when its audience is empty', async () => {
    const id = await create();
    await sender.post(`/campaigns/${id}/send`, {});
    const sent = await eventually(
      () => campaign(id),
      ({ status }) => status === 'SENT',
    );
    expect(sent.totalRecipients).toBe(0);
  });
});

it('is found in Temporal by its project, as are jobs and snoozes, which take turns with those of others', async () => {
  const reader = await createTestSubscriber(stack, sender);
  await visitPage(`${stack.url}${reader.path('manage')}`, { snooze: '2-weeks' });
  await sender.post('/contacts/bulk-subscribe', { contactIds: [reader.contactId] });
  await insertContacts(stack.em(), sender.projectId, 1);
  const id = await create();
  await sender.post(`/campaigns/${id}/send`, {});
  const { workflow } = stack.product.resources.temporal;
  async function found(query: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const one of workflow.list({ query })) ids.push(one.workflowId);
    return ids.toSorted();
  }
  const jobs = await stack.sql<{ id: string }>('select id from jobs where project_id = $1', [
    sender.projectId,
  ]);
  const expected = [
    `campaign/${id}`,
    `campaign/${id}/batch/1`,
    `contact-bulk/${jobs[0]?.id}`,
    `contact-snooze/${reader.contactId}`,
  ];
  const ofProject = await eventually(
    () => found(`ProjectId = '${sender.projectId}' and JobKind != 'domain-verification'`),
    (ids) => ids.length >= expected.length,
  );
  expect(ofProject).toEqual(expected);
  expect(await found(`CampaignId = '${id}'`)).toEqual(expected.slice(0, 2));
  const priorityKeys = new Set<number | undefined>();
  for (const workflowId of expected) {
    const { priority } = await workflow.getHandle(workflowId).describe();
    expect(priority?.fairnessKey, workflowId).toMatch(`${sender.projectId}/`);
    priorityKeys.add(priority?.priorityKey);
  }
  expect(priorityKeys.size).toBe(1);
});

describe('a scheduled campaign', () => {
  const soon = () => new Date(Date.now() + 3_000).toISOString();
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
  it('is sent at its time', async () => {
    await insertContacts(stack.em(), sender.projectId, 5);
    const id = await create({ subject: `At its time ${sender.projectId}` });
    const time = soon();
    await sender.post(`/campaigns/${id}/send`, { scheduledFor: time });
    const { status } = await campaign(id);
    if (status !== 'SCHEDULED') expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(time));
    await sent(id);
    const messages = await inbox(`At its time ${sender.projectId}`);
    expect(messages).toHaveLength(5);
    const earliest = Math.min(...messages.map(({ receivedAt }) => Date.parse(receivedAt)));
    expect(earliest).toBeGreaterThanOrEqual(Date.parse(time));
    const activity = await stack.sql<{ name: string; data: object }>(
      `select name, data from events where campaign_id = $1 and kind = 'activity' order by id`,
      [id],
    );
    expect(activity).toEqual([
      { name: 'campaign.scheduled', data: expect.objectContaining({ campaignId: id, scheduledFor: time }) },
      { name: 'campaign.sent', data: expect.objectContaining({ campaignId: id, totalRecipients: 5 }) },
    ]);
  });

  it('can be moved to an earlier time, and sent now', async () => {
    await insertContacts(stack.em(), sender.projectId, 2);
    const [moved, now] = [await create(), await create()];
    for (const id of [moved, now]) await sender.post(`/campaigns/${id}/send`, { scheduledFor: tomorrow() });
    await sender.post(`/campaigns/${moved}/send`, { scheduledFor: soon() });
    await sender.post(`/campaigns/${now}/send`, {});
    await Promise.all([sent(moved), sent(now)]);
    await delivered(moved, 2);
  });

  it('pauses at its time while the sender domain is not verified, and continues when it is', async () => {
    await insertContacts(stack.em(), sender.projectId, 2);
    const id = await create();
    await sender.post(`/campaigns/${id}/send`, { scheduledFor: tomorrow() });
    await replaceDomain(stack, sender, 'pending');
    await stack.sql(
      `with due as (update campaigns set scheduled_for = now() where id = $1 returning id)
       insert into outbox (id, kind, subject_id) select uuidv7(), 'campaign.changed', id from due`,
      [id],
    );
    stack.product.resources.relay.wake();
    await eventually(
      () => statuses(id),
      ({ QUEUED }) => QUEUED === 2,
    );
    const pausedReason = `Paused while the domain ${sender.domain} is not verified`;
    expect(await campaign(id)).toMatchObject({ status: 'SENDING', pausedReason, cancelReason: null });
    expect((await sender.get('/campaigns')).body.data).toMatchObject([{ id, pausedReason }]);
    await replaceDomain(stack, sender, 'verified');
    expect((await campaign(id)).pausedReason).toBe(null);
    await sent(id);
    await delivered(id, 2);
  });

  it('is never sent after it was canceled', async () => {
    await insertContacts(stack.em(), sender.projectId, 2);
    let id = '';
    for (let isCancelled = false; !isCancelled; ) {
      const time = soon();
      id = await create();
      await sender.post(`/campaigns/${id}/send`, { scheduledFor: time });
      isCancelled = (await sender.post(`/campaigns/${id}/cancel`, {})).status === 200;
      // A busy machine may send the cancellation too late.
      if (!isCancelled) expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(time));
    }
    const other = await create();
    await sender.post(`/campaigns/${other}/send`, {
      scheduledFor: new Date(Date.now() + 4_000).toISOString(),
    });
    await sent(other);
    expect(await statuses(id)).toEqual({});
    expect((await campaign(id)).status).toBe('CANCELLED');
  });
});

/** Starts a campaign that may not send now; it waits with its audience frozen. */
async function startPaused(id: string, recipients: number): Promise<void> {
  await stack.sql(
    `with started as (
       update campaigns set status = 'SENDING', started_at = now(), content_id = uuidv7() where id = $1 returning *
     ),
     content as (
       insert into message_contents (id, project_id, subject, body, from_email)
       select content_id, project_id, subject, body, from_email from started
     )
     insert into outbox (id, kind, subject_id) select uuidv7(), 'campaign.changed', id from started`,
    [id],
  );
  stack.product.resources.relay.wake();
  await eventually(
    () => statuses(id),
    (counts) => counts.QUEUED === recipients,
  );
}

it('a campaign being sent pauses when the project loses its sender domain', async () => {
  await insertContacts(stack.em(), sender.projectId, 2);
  const id = await create();
  await replaceDomain(stack, sender, 'pending');
  await startPaused(id, 2);
  const pausedReason = `Paused while the domain ${sender.domain} is not verified`;
  expect(await campaign(id)).toMatchObject({ status: 'SENDING', pausedReason });
  expect((await sender.get('/campaigns')).body.data).toMatchObject([{ id, pausedReason }]);
  await replaceDomain(stack, sender, 'verified');
  expect((await campaign(id)).pausedReason).toBe(null);
  await sent(id);
  await delivered(id, 2);
});

describe('excluded contacts', () => {
  it('are SUPPRESSED when they opt out between the freeze and the send', async () => {
    await insertContacts(stack.em(), sender.projectId, 4);
    const id = await create();
    await stack.sql('update projects set disabled = true where id = $1', [sender.projectId]);
    await startPaused(id, 4);
    expect((await campaign(id)).pausedReason).toBe('Paused while the project is disabled');
    await sender.patch(`/contacts/${await contactId('reader-2@example.com')}`, { subscribed: false });
    await stack.sql(`update projects set disabled = false where id = $1`, [sender.projectId]);
    await eventually(
      () => statuses(id),
      (counts) => counts.DELIVERED === 3 && counts.SUPPRESSED === 1,
    );
    expect(await stats(id)).toMatchObject({ totalRecipients: 4, sentCount: 3, bouncedCount: 0 });
    const held = await eventually(
      () => sender.get('/activity?types=email.bounced'),
      ({ body }) => body.data?.length > 0,
    );
    expect(held.body.data).toEqual([
      expect.objectContaining({
        type: 'email.bounced',
        contactEmail: 'reader-2@example.com',
        metadata: expect.objectContaining({
          campaignId: id,
          status: 'SUPPRESSED',
          bounceType: 'Suppressed',
          reason: 'the contact is not subscribed',
        }),
      }),
    ]);
    const counted = await eventually(
      () => sender.get('/activity/stats'),
      ({ body }) => body.sent === 3,
    );
    expect(counted.body).toMatchObject({ sent: 3, bounced: 0 });
  });
});
