import { describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { sql } from '../db/testing/sql.ts';
import type { TestAnswer } from './setup/answer.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { callApi } from './setup/people.ts';
import { startAnotherApi } from './setup/processes.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { addStep, createWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const pathOf = (endpoint: string) => `/users/@me/projects/${sender.projectId}/${endpoint}`;
const limit = async (limits: object) => {
  const { status, body } = await sender.put(pathOf('billing-limits'), limits);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const consumption = async () => (await sender.get(pathOf('billing-consumption'))).body.categories;
const used = async () => {
  const { transactional, campaigns, workflows } = await consumption();
  return [transactional.used, campaigns.used, workflows.used];
};
const email = (to: string | string[], changes: object = {}) => ({
  to,
  from: `hello@${sender.domain}`,
  subject: 'x',
  body: 'x',
  ...changes,
});
const emailsQueued = async () =>
  (
    await stack.sql<{ n: number }>('select count(*)::int as n from emails where project_id = $1', [
      sender.projectId,
    ])
  )[0]?.n;
const outcomeOf = ({ status, body }: TestAnswer) => [status, body.error?.code];
const beyond = [402, 'BILLING_LIMIT_EXCEEDED'];

async function addContacts(count: number, from = 0): Promise<void> {
  await stack.sql(
    `insert into contacts (id, project_id, email)
     select uuidv7(), $1, 'reader-' || n || '@example.com' from generate_series($2::int + 1, $2::int + $3::int) n`,
    [sender.projectId, from, count],
  );
}
const campaignNow = async (id: string) => (await sender.get(`/campaigns/${id}`)).body.data;
/** Makes a scheduled campaign due now, and signals its workflow. */
async function becomeDue(id: string): Promise<void> {
  await stack.sql(
    `with due as (update campaigns set status = 'SCHEDULED', scheduled_for = now() where id = $1 returning id)
     insert into outbox (id, kind, subject_id) select uuidv7(), 'campaign.changed', id from due`,
    [id],
  );
  stack.product.resources.relay.wake();
}
const isSent = (id: string) =>
  eventually(
    () => campaignNow(id),
    ({ status }) => status === 'SENT',
  );

describe('limits', () => {
  it('are unset at first, change one by one, and are removed with null, without billing configured', async () => {
    const none = { transactional: null, campaigns: null, workflows: null, inbound: null };
    expect((await sender.get(pathOf('billing-limits'))).body).toEqual(none);
    expect(await limit({ transactional: 10, campaigns: 0 })).toEqual({
      ...none,
      transactional: 10,
      campaigns: 0,
    });
    expect(await limit({ campaigns: null, workflows: 7 })).toEqual({
      ...none,
      transactional: 10,
      workflows: 7,
    });
    expect((await sender.get(pathOf('billing-limits'))).body).toEqual({
      ...none,
      transactional: 10,
      workflows: 7,
    });
    for (const wrong of [{ transactional: -1 }, { campaigns: 1.5 }, { workflows: '3' }, { workflows: 2e9 }]) {
      expect((await sender.put(pathOf('billing-limits'), wrong)).status).toBe(422);
    }
    const { body } = await callApi(stack.url, 'GET', '/config');
    expect(body.features.billing).toBe(false);
    const unavailable = [
      await sender.post(pathOf('checkout'), {}),
      await sender.post(pathOf('billing-portal'), {}),
      await sender.get(pathOf('billing-invoices')),
      await callApi(stack.url, 'POST', '/webhooks/incoming/stripe', {}),
    ];
    expect(unavailable.map(outcomeOf)).toEqual(unavailable.map(() => [503, 'SERVICE_UNAVAILABLE']));
  });

  it('apply to the calendar month; emails of the previous one do not count', async () => {
    const { body } = await sender.get(pathOf('billing-consumption'));
    const now = new Date();
    expect(body).toEqual({
      period: {
        start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString(),
        end: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
      },
      categories: {
        transactional: { used: 0, limit: null, remaining: null },
        campaigns: { used: 0, limit: null, remaining: null },
        workflows: { used: 0, limit: null, remaining: null },
        inbound: { used: 0, limit: null, remaining: null },
      },
      subscription: null,
    });
    await limit({ transactional: 2 });
    expect((await sender.post('/v1/send', email(['a@example.com', 'b@example.com']))).status).toBe(200);
    expect(outcomeOf(await sender.post('/v1/send', email('c@example.com')))).toEqual(beyond);
    await stack.sql(`update billing_usage set month = month - interval '1 month' where project_id = $1`, [
      sender.projectId,
    ]);
    expect(await consumption()).toMatchObject({ transactional: { used: 0, limit: 2, remaining: 2 } });
    expect((await sender.post('/v1/send', email('c@example.com'))).status).toBe(200);
  });
});

describe('a limit of transactional emails', () => {
  it('refuses a whole call before writing any of it, and frees its Idempotency-Key', async () => {
    await sender.post('/v1/send', email('first@example.com'));
    expect(await consumption()).toMatchObject({ transactional: { used: 1, limit: null, remaining: null } });
    await limit({ transactional: 3 });
    const headers = { 'Idempotency-Key': newId() };
    const three = email(['a@example.com', 'b@example.com', 'c@example.com'], { data: { plan: 'pro' } });
    const refused = await sender.post('/v1/send', three, headers);
    expect(outcomeOf(refused)).toEqual(beyond);
    expect(refused.body.error).toMatchObject({
      message: "This would send 3 transactional emails, more than the project's monthly limit leaves",
      details: { category: 'transactional', wanted: 3 },
    });
    expect([await emailsQueued(), (await sender.get('/contacts')).body.total]).toEqual([1, 1]);
    expect(await consumption()).toMatchObject({ transactional: { used: 1, limit: 3, remaining: 2 } });
    expect((await sender.post('/v1/send', email('a@example.com'))).status).toBe(200);
    await limit({ transactional: 5 });
    expect((await sender.post('/v1/send', three, headers)).status).toBe(200);
    expect(await used()).toEqual([5, 0, 0]);
    expect(outcomeOf(await sender.post('/v1/send', email('d@example.com')))).toEqual(beyond);
    await limit({ transactional: null });
    expect((await sender.post('/v1/send', email('d@example.com'))).status).toBe(200);
    expect(await used()).toEqual([6, 0, 0]);
  });

  it('does not count a call that is refused for another reason', async () => {
    await sender.post('/contacts', { email: 'full@example.com', data: { long: 'x'.repeat(40_000) } });
    await limit({ transactional: 2 });
    const refused = [
      await sender.post('/v1/send', email('a@example.com', { from: 'x@nobodys.example' })),
      await sender.post('/v1/send', email('a@example.com', { body: '{% if %}' })),
      await sender.post('/v1/send', email('a@example.com', { template: newId() })),
      await sender.post('/v1/send', email('full@example.com', { data: { more: 'x'.repeat(40_000) } })),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 422, 404, 422]);
    expect(await used()).toEqual([0, 0, 0]);
    expect((await sender.post('/v1/send', email(['a@example.com', 'b@example.com']))).status).toBe(200);
  });

  it('is kept exactly by 50 sends at once over two processes', async () => {
    const other = await startAnotherApi(stack);
    try {
      await sender.post('/v1/send', email('first@example.com'));
      await limit({ transactional: 31 });
      const send = (n: number) =>
        callApi(n % 2 === 0 ? stack.url : other.url, 'POST', '/v1/send', email(`reader-${n}@example.com`), {
          Authorization: `Bearer ${sender.secretKey}`,
        });
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)));
      const ofStatus = (status: number) => answers.filter((answer) => answer.status === status).length;
      expect([ofStatus(200), ofStatus(402)]).toEqual([30, 20]);
      expect(await emailsQueued()).toBe(31);
      expect(await consumption()).toMatchObject({ transactional: { used: 31, limit: 31, remaining: 0 } });
    } finally {
      await other.stop();
    }
  });

  it('applies to its project and its category only', async () => {
    await limit({ transactional: 0, campaigns: 0 });
    const neighbor = await createTestSender(stack.url);
    const answer = await neighbor.post('/v1/send', {
      ...email('a@example.com'),
      from: `x@${neighbor.domain}`,
    });
    expect(answer.status).toBe(200);
    expect(outcomeOf(await sender.post('/v1/send', email('a@example.com')))).toEqual(beyond);
    await limit({ transactional: 1 });
    expect((await sender.post('/v1/send', email('a@example.com'))).status).toBe(200);
  });
});

describe('a limit of campaigns', () => {
  it('refuses a campaign with more recipients, which stays a draft', async () => {
    await addContacts(4);
    await limit({ campaigns: 3 });
    const id = await draftCampaign(sender);
    const later = new Date(Date.now() + 60_000).toISOString();
    const nextMonth = new Date(Date.now() + 40 * 86_400_000).toISOString();
    for (const body of [{}, { scheduledFor: later }, { scheduledFor: nextMonth }]) {
      const refused = await sender.post(`/campaigns/${id}/send`, body);
      expect(outcomeOf(refused)).toEqual(beyond);
      expect(refused.body.error).toMatchObject({
        message: "This would send 4 campaign emails, but the project's monthly limit leaves 3",
        details: { category: 'campaigns', wanted: 4, left: 3 },
      });
    }
    expect(await campaignNow(id)).toMatchObject({ status: 'DRAFT', scheduledFor: null });
    expect([await emailsQueued(), await used()]).toEqual([0, [0, 0, 0]]);
    await limit({ campaigns: 4 });
    expect((await sender.post(`/campaigns/${id}/send`, {})).status).toBe(200);
    expect(await isSent(id)).toMatchObject({ totalRecipients: 4, sentCount: 4 });
    expect(await used()).toEqual([0, 4, 0]);
    expect((await sender.post(`/campaigns/${id}/test`, { email: 'me@example.com' })).status).toBe(200);
    const second = await draftCampaign(sender);
    expect(outcomeOf(await sender.post(`/campaigns/${second}/send`, {}))).toEqual(beyond);
    const scheduled = await sender.post(`/campaigns/${second}/send`, { scheduledFor: nextMonth });
    expect(scheduled.body.data.status).toBe('SCHEDULED');
  });

  it('asks to send a campaign again that is edited while its recipients are counted', async () => {
    await addContacts(2);
    await limit({ campaigns: 5 });
    const id = await draftCampaign(sender);
    let sending: Promise<TestAnswer> | undefined;
    await stack.em().transactional(async (em) => {
      await sql(em, 'select from campaigns where id = $1 for update', [id]);
      sending = sender.post(`/campaigns/${id}/send`, {});
      await untilBlocking(em);
      await sql(em, `update campaigns set updated_at = updated_at + interval '1 ms' where id = $1`, [id]);
    });
    const { status, body } = (await sending) ?? expect.unreachable();
    expect([status, body.error.suggestion]).toEqual([409, 'Look at the campaign, and send it again.']);
    expect((await sender.post(`/campaigns/${id}/send`, {})).status).toBe(200);
  });

  it('is kept by campaigns that are sent at once, before their audiences are frozen', async () => {
    await addContacts(10);
    await limit({ campaigns: 25 });
    const ids = await Promise.all(Array.from({ length: 4 }, () => draftCampaign(sender)));
    const answers = await Promise.all(ids.map((id) => sender.post(`/campaigns/${id}/send`, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402]);
    for (const [index, id] of ids.entries()) if (answers[index]?.status === 200) await isSent(id);
    expect(await used()).toEqual([0, 20, 0]);
  });

  it('cancels a scheduled one that has grown beyond it, and says why', async () => {
    await addContacts(2);
    await limit({ campaigns: 3 });
    const id = await draftCampaign(sender);
    const time = new Date(Date.now() + 3_600_000).toISOString();
    expect((await sender.post(`/campaigns/${id}/send`, { scheduledFor: time })).status).toBe(200);
    await addContacts(2, 2);
    await becomeDue(id);
    const cancelled = await eventually(
      () => campaignNow(id),
      ({ status }) => status === 'CANCELLED',
    );
    expect(cancelled.cancelReason).toBe(
      'The campaign had 4 recipients when it was due, but the project could send only 3 more campaign emails that month',
    );
    expect([await emailsQueued(), await used()]).toEqual([0, [0, 0, 0]]);
  });

  it('gets back the unsent emails of a canceled campaign', async () => {
    await addContacts(6);
    await limit({ campaigns: 6 });
    const id = await draftCampaign(sender);
    await stack.sql(`update projects set disabled = true where id = $1`, [sender.projectId]);
    // A disabled project sends nothing, so that no email of it has left.
    await becomeDue(id);
    await eventually(used, ([, campaigns]) => campaigns === 6);
    expect((await sender.post(`/campaigns/${id}/cancel`, {})).status).toBe(200);
    expect(await eventually(used, ([, campaigns]) => campaigns === 0)).toEqual([0, 0, 0]);
    expect((await campaignNow(id)).cancelReason).toBeNull();
  });
});

describe('a limit of workflows', () => {
  it('skips emails beyond it, which the execution records before it continues', async () => {
    const templateId = await createTemplate(sender);
    const workflow = await createWorkflow(sender, { eventName: 'signup' });
    const step = await addStep(sender, workflow.id, {
      type: 'SEND_EMAIL',
      name: 'Welcome',
      config: { templateId },
      autoConnect: workflow.steps[0].id,
    });
    await addStep(sender, workflow.id, {
      type: 'UPDATE_CONTACT',
      config: { data: { welcomed: true } },
      autoConnect: step.id,
    });
    expect((await sender.patch(`/workflows/${workflow.id}`, { enabled: true })).status).toBe(200);
    await limit({ workflows: 3 });
    const people = Array.from({ length: 8 }, (_, n) => `person-${n}@example.com`);
    await Promise.all(people.map((address) => sender.post('/v1/track', { event: 'signup', email: address })));
    const executions = async () => (await sender.get(`/workflows/${workflow.id}/executions`)).body.data;
    const ended = await eventually(
      executions,
      (list) => list.length === 8 && list.every((one: { status: string }) => one.status === 'COMPLETED'),
    );
    const noted: unknown[] = [];
    for (const { id } of ended) {
      const { body } = await sender.get(`/workflows/${workflow.id}/executions/${id}`);
      const sending = body.steps.find((one: { stepId: string }) => one.stepId === step.id);
      noted.push(sending.error ?? 'sent');
    }
    const note = 'not sent: the project has reached its limit of workflow emails for this month';
    expect(noted.sort()).toEqual([...Array(5).fill(note), ...Array(3).fill('sent')]);
    expect([await emailsQueued(), await used()]).toEqual([3, [0, 0, 3]]);
  });
});
