import { describe, expect, it } from 'vitest';
import type { TestAnswer } from './setup/answer.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { messageOf, reportEvent } from './setup/inbox.ts';
import { buildWorkflow, trackEvent } from './setup/running-workflows.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

async function send(to: string, changes: Record<string, unknown> = {}): Promise<string> {
  const answer = await sender.post('/v1/send', {
    to,
    from: `hello@${sender.domain}`,
    subject: 'Hello {{ firstName }}',
    body: '<p>Hello {{ firstName }} <a href="https://example.com/offer">Offer</a></p>',
    subscribed: true,
    ...changes,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.emails[0].email;
}

const list = async (query = ''): Promise<TestAnswer['body']> => {
  const answer = await sender.get(`/emails?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
const detail = async (id: string) => (await sender.get(`/emails/${id}`)).body;
const run = (text: string, parameters: unknown[]) => stack.sql<{ id: string }>(text, parameters);

async function sendCampaign(subject = 'News'): Promise<string> {
  const id = await draftCampaign(sender, { name: 'Spring', subject, body: '<p>News</p>' });
  await sender.post(`/campaigns/${id}/send`, {});
  return id;
}

describe('the log of emails', () => {
  it('lists the emails of all sources with their origin, newest first, page by page', async () => {
    const first = await send('ada@example.com', { data: { firstName: 'Ada' } });
    const campaignId = await sendCampaign();
    const found = await eventually(
      () => list(),
      ({ data }) =>
        data.length === 2 && data.every(({ sentAt }: { sentAt: string | null }) => sentAt !== null),
    );
    expect(found.data[0]).toMatchObject({
      source: 'CAMPAIGN',
      campaignId,
      campaignName: 'Spring',
      subject: 'News',
    });
    expect(found.data[1]).toEqual({
      id: first,
      to: 'ada@example.com',
      toName: null,
      from: `hello@${sender.domain}`,
      subject: 'Hello Ada',
      status: expect.stringMatching(/SENT|DELIVERED/),
      reason: null,
      source: 'TRANSACTIONAL',
      type: 'TRANSACTIONAL',
      contactId: expect.any(String),
      campaignId: null,
      campaignName: null,
      workflowId: null,
      workflowName: null,
      templateId: null,
      templateName: null,
      opens: 0,
      clicks: 0,
      createdAt: expect.any(String),
      sentAt: expect.any(String),
      deliveredAt: found.data[1].deliveredAt,
      openedAt: null,
      clickedAt: null,
      bouncedAt: null,
      complainedAt: null,
    });
    expect(found).toMatchObject({ cursor: null, hasMore: false, searchedBackTo: null });

    const page = await list('limit=1');
    expect(page).toMatchObject({ hasMore: true, searchedBackTo: null });
    expect(await idsOf(`limit=1&cursor=${page.cursor}`)).toEqual([first]);
    expect((await sender.get('/emails?cursor=whatever')).status).toBe(400);
    expect((await sender.get('/contacts?cursor='.concat(page.cursor))).status).toBe(400);
  });

  it('finds by recipient, subject, status, source, contact and time, alone and together', async () => {
    const ada = await send('ada@example.com', { subject: 'Your order 17' });
    const bounced = await send('bounce@simulator.amazonses.com', { subject: 'Straße, Grüße' });
    await eventually(
      () => list('status=BOUNCED'),
      ({ data }) => data.length === 1,
    );
    const { contactId, createdAt } = await detail(ada);
    const queries = [
      ['search=ada%40', ada],
      ['search=ADA%40example.com', ada],
      ['search=da%40ex', ada],
      ['search=ORDER', ada],
      ['search=order%2017&source=TRANSACTIONAL', ada],
      ['search=STRASSE', bounced],
      ['search=gr%C3%BC%C3%9Fe', bounced],
      ['search=gru%CC%88%C3%9Fe', bounced],
      ['search=simulator', bounced],
      ['search=bounce%40&status=BOUNCED', bounced],
      [`contactId=${contactId}`, ada],
      [`endDate=${createdAt}`, ada],
    ] as const;
    for (const [query, id] of queries) expect(await idsOf(query), query).toEqual([id]);
    const nothing = [
      'source=CAMPAIGN',
      'source=WORKFLOW&search=ada%40',
      'search=nobody%40',
      `startDate=${new Date(Date.now() + 60_000).toISOString()}`,
      `contactId=${contactId}&status=BOUNCED`,
    ];
    for (const query of nothing) expect(await idsOf(query), query).toEqual([]);
    expect((await sender.get('/emails?startDate=2026-02-01&endDate=2026-01-01')).status).toBe(400);
  });

  it('finds the emails of a campaign and of a workflow, and the test of a campaign by its source', async () => {
    await sender.post('/contacts', { email: 'ada@example.com' });
    const campaignId = await sendCampaign();
    await sender.post(`/campaigns/${campaignId}/test`, { email: 'boss@example.com' });
    const templateId = await createTemplate(sender, {
      subject: 'Welcome {{ event.plan }}',
      body: '<p>Welcome to {{ event.plan }}</p>',
    });
    const steps = { mail: { type: 'SEND_EMAIL', config: { templateId } } };
    const workflowId = await buildWorkflow(sender, steps, [['start', 'mail']]);
    await trackEvent(sender, 'signup', { plan: 'pro' });
    const ofWorkflow = await eventually(
      () => list(`workflowId=${workflowId}`),
      ({ data }) => data[0]?.sentAt != null,
    );
    expect(ofWorkflow.data).toEqual([
      expect.objectContaining({ source: 'WORKFLOW', templateName: 'Welcome', workflowId }),
    ]);
    const ofCampaign = await eventually(
      () => list(`campaignId=${campaignId}`),
      ({ data }) => data[0]?.sentAt != null,
    );
    expect(ofCampaign.data).toEqual([expect.objectContaining({ to: 'ada@example.com', source: 'CAMPAIGN' })]);
    expect((await list('source=TEST')).data).toEqual([
      expect.objectContaining({ to: 'boss@example.com', contactId: null, campaignId: null }),
    ]);
    expect((await list(`campaignId=${campaignId}&source=WORKFLOW`)).data).toEqual([]);

    const workflowEmail = await detail(ofWorkflow.data[0].id);
    expect(workflowEmail.body.text).toContain('Welcome to pro');
    expect(workflowEmail.temporalWorkflowId).toMatch(new RegExp(`^workflow/${workflowId}/contact/`));
    const campaignEmail = await detail(ofCampaign.data[0].id);
    expect(campaignEmail.temporalWorkflowId).toBe(`campaign/${campaignId}/batch/1`);
    expect(campaignEmail.body.headers['List-Unsubscribe']).toMatch(/^<http/);
  });

  it('shows no email of another project', async () => {
    const other = await createTestSender(stack.url);
    const email = await send('ada@example.com');
    const campaignId = await sendCampaign();
    const { contactId } = await detail(email);
    expect((await other.get(`/emails/${email}`)).status).toBe(404);
    for (const query of [
      '',
      'search=ada%40',
      'search=hello',
      `contactId=${contactId}`,
      `campaignId=${campaignId}`,
    ]) {
      expect((await other.get(`/emails?${query}`)).body, query).toEqual({
        data: [],
        cursor: null,
        hasMore: false,
        searchedBackTo: null,
      });
    }
  });
});

describe('an email', () => {
  it('describes its history in words, in order, with each clicked link', async () => {
    const email = await send('clicked@simulator.amazonses.com', { data: { firstName: 'Ada' } });
    const { id } = await eventually(() => messageOf(stack.ses, email), Boolean);
    await eventually(
      () => detail(email),
      ({ status }) => status === 'CLICKED',
    );
    await reportEvent(stack.ses, id, { type: 'click', link: 'https://example.com/other' });
    const found = await eventually(
      () => detail(email),
      ({ clicks }) => clicks === 2,
    );
    const types = found.timeline.map(({ type }: { type: string }) => type);
    expect(types.slice(0, 2)).toEqual(['accepted', 'sent']);
    expect(types.toSorted()).toEqual(['accepted', 'clicked', 'clicked', 'delivered', 'opened', 'sent']);
    expect(found.timeline.at(-1)).toEqual({
      type: 'clicked',
      at: expect.any(String),
      text: 'Clicked https://example.com/other',
      link: 'https://example.com/other',
      diagnostic: null,
    });
    expect(found).toMatchObject({ bodyAvailable: true, temporalWorkflowId: null, temporalUrl: null });
    expect(found.body).toMatchObject({ subject: 'Hello Ada', text: expect.stringContaining('Hello Ada') });
    expect(found.messageId).toEqual(expect.any(String));
  });

  it("quotes the recipient's server on a bounce, and gives the kind of a complaint", async () => {
    const bounced = await send('bounce@simulator.amazonses.com');
    const complained = await send('complaint@simulator.amazonses.com');
    for (const [email, type, diagnostic] of [
      [bounced, 'bounced', 'smtp; 550 5.1.1 user unknown'],
      [complained, 'complained', 'abuse'],
    ] as const) {
      const found = await eventually(
        () => detail(email),
        ({ status }) => status === type.toUpperCase(),
      );
      expect(found.timeline.at(-1)).toMatchObject({ type, diagnostic });
    }
  });

  it('gives the reason why it was withheld or failed', async () => {
    await sender.post('/contacts', { email: 'ada@example.com', subscribed: false });
    const template = await createTemplate(sender, { type: 'MARKETING' });
    const email = await send('ada@example.com', { template, subscribed: undefined });
    const found = await eventually(
      () => detail(email),
      ({ status }) => status === 'SUPPRESSED',
    );
    expect(found.timeline.at(-1)).toMatchObject({
      type: 'suppressed',
      text: 'Withheld: the contact is not subscribed',
    });
    expect(await idsOf('status=SUPPRESSED')).toEqual([email]);
  });

  it('lists its attachments without their bytes, and has no body once its content is deleted', async () => {
    const file = { filename: 'a.txt', content: 'aGVsbG8=', contentType: 'text/plain' };
    const email = await send('ada@example.com', { attachments: [file] });
    const { body } = await detail(email);
    expect(body.attachments).toEqual([
      { filename: 'a.txt', contentType: 'text/plain', disposition: 'attachment', size: 5 },
    ]);
    await run('delete from message_contents where project_id = $1', [sender.projectId]);
    expect(await detail(email)).toMatchObject({ bodyAvailable: false, body: null });
  });

  it('keeps its outcome and no trace of the recipient once the contact was deleted', async () => {
    const email = await send('ada@example.com', { data: { firstName: 'Ada' } });
    const { contactId } = await eventually(
      () => detail(email),
      ({ deliveredAt }) => deliveredAt !== null,
    );
    expect((await sender.delete(`/contacts/${contactId}`)).status).toBe(204);
    const found = await detail(email);
    expect(found).toMatchObject({ to: '', contactId: null, subject: null, body: null });
    expect(found.timeline.map(({ type }: { type: string }) => type)).toEqual([
      'accepted',
      'sent',
      'delivered',
    ]);
  });
});
