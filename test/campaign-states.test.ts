import { describe, expect, it } from 'vitest';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { arrived } from './setup/inbox.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const content = () => ({
  name: 'News',
  subject: 'News for {{ firstName ?? "you" }}',
  body: '<p>Hello {{ firstName ?? "you" }}</p>',
  from: `news@${sender.domain}`,
  audienceType: 'ALL',
});

const create = () => draftCampaign(sender, content());

const campaign = async (id: string) => (await sender.get(`/campaigns/${id}`)).body.data;

describe('the actions accepted in each state', () => {
  const states = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'];
  const later = '2100-01-01T10:00:00.000Z';
  const actions: [string, number[], (id: string) => Promise<{ status: number }>][] = [
    ['edit', [200, 200, 400, 400, 400], (id) => sender.put(`/campaigns/${id}`, content())],
    ['send', [200, 200, 400, 400, 400], (id) => sender.post(`/campaigns/${id}/send`, {})],
    [
      'schedule',
      [200, 200, 400, 400, 400],
      (id) => sender.post(`/campaigns/${id}/send`, { scheduledFor: later }),
    ],
    ['cancel', [200, 200, 200, 400, 400], (id) => sender.post(`/campaigns/${id}/cancel`, {})],
    ['delete', [204, 409, 409, 204, 204], (id) => sender.delete(`/campaigns/${id}`)],
    ['duplicate', [201, 201, 201, 201, 201], (id) => sender.post(`/campaigns/${id}/duplicate`, {})],
    ['stats', [200, 200, 200, 200, 200], (id) => sender.get(`/campaigns/${id}/stats`)],
  ];

  it.each(actions)('%s: %j in DRAFT, SCHEDULED, SENDING, SENT, CANCELLED', async (_, expected, act) => {
    const answers: number[] = [];
    for (const state of states) {
      const id = await create();
      await stack.sql(
        `update campaigns set status = $2, scheduled_for = case when $2 = 'SCHEDULED' then $3::timestamptz end
         where id = $1`,
        [id, state, later],
      );
      answers.push((await act(id)).status);
    }
    expect(answers).toEqual(expected);
  });
});

it('sending a campaign twice says that it is under way and does not advise a copy', async () => {
  const id = await create();
  await stack.sql(`update campaigns set status = 'SENDING' where id = $1`, [id]);
  const { status, body } = await sender.post(`/campaigns/${id}/send`, {});
  expect([status, body.error.suggestion]).toEqual([
    400,
    'It is already under way, perhaps by another request.',
  ]);
});

describe('the scheduled time of a campaign', () => {
  it.each([
    ['2100-01-01', '2100-01-01T00:00:00.000Z'],
    ['2100-01-01T10:00:00+02:00', '2100-01-01T08:00:00.000Z'],
    ['Fri, 01 Jan 2100 10:00:00 GMT', '2100-01-01T10:00:00.000Z'],
  ])('may be %s', async (scheduledFor, instant) => {
    const id = await create();
    const { body } = await sender.post(`/campaigns/${id}/send`, { scheduledFor });
    expect(body).toMatchObject({
      success: true,
      message: expect.any(String),
      data: { id, status: 'SCHEDULED', scheduledFor: instant },
    });
  });

  it('is UTC without a zone, wherever the server is', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Kiritimati';
    try {
      const id = await create();
      const { body } = await sender.post(`/campaigns/${id}/send`, { scheduledFor: '2100-01-01T10:00' });
      expect(body.data.scheduledFor).toBe('2100-01-01T10:00:00.000Z');
    } finally {
      process.env.TZ = zone;
    }
  });

  it('is refused with 400 when no date can be read from it, and the campaign stays a draft', async () => {
    const id = await create();
    for (const scheduledFor of ['soon', 'tomorrow at 9', '2100-13-45', '']) {
      const answer = await sender.post(`/campaigns/${id}/send`, { scheduledFor });
      expect(answer.status, scheduledFor).toBe(400);
      expect(answer.body.error.code).toBe('BAD_REQUEST');
    }
    expect(await campaign(id)).toMatchObject({ status: 'DRAFT', scheduledFor: null });
  });

  it.each([
    ['-271821-04-20T00:00:00.000Z', 'SENDING', '0001-01-01T00:00:00.000Z'],
    ['-005000-01-01T00:00:00Z', 'SENDING', '0001-01-01T00:00:00.000Z'],
    ['+275760-09-13T00:00:00.000Z', 'SCHEDULED', '9999-12-31T23:59:59.999Z'],
  ])('may be as far away as %s', async (scheduledFor, status, instant) => {
    const id = await create();
    const { body } = await sender.post(`/campaigns/${id}/send`, { scheduledFor });
    expect(body).toMatchObject({ success: true, data: { id, status, scheduledFor: instant } });
  });

  it('is removed when a scheduled campaign is sent now', async () => {
    const id = await create();
    await sender.post(`/campaigns/${id}/send`, { scheduledFor: '2100-01-01T10:00:00.000Z' });
    const { body } = await sender.post(`/campaigns/${id}/send`, {});
    expect(body).toMatchObject({ success: true, data: { id, status: 'SENDING', scheduledFor: null } });
  });

  it('is now when it is null', async () => {
    const id = await create();
    const { body } = await sender.post(`/campaigns/${id}/send`, { scheduledFor: null });
    expect(body).toMatchObject({ success: true, data: { id, status: 'SENDING' } });
  });
});

describe('a test email', () => {
  it('is rendered as for the contact at that address, marked, and moves no counter', async () => {
    await sender.post('/contacts', {
      email: 'ada@example.com',
      data: { firstName: 'Ada' },
      subscribed: false,
    });
    const id = await create();
    for (const [email, name] of [
      ['ada@example.com', 'Ada'],
      ['nobody@example.com', 'you'],
    ] as const) {
      const answer = await sender.post(`/campaigns/${id}/test`, { email });
      expect(answer).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } });
      const [row] = await stack.sql<{ id: string }>(
        'select id from emails where project_id = $1 and to_email = $2',
        [sender.projectId, email],
      );
      const sent = { status: 200, headers: new Headers(), body: { data: { emails: [{ email: row?.id }] } } };
      expect(await arrived(stack.ses, sent)).toMatchObject({
        to: [email],
        subject: `[TEST] News for ${name}`,
        html: expect.stringContaining(`<p>Hello ${name}</p>`),
      });
    }
    expect((await sender.get('/contacts')).body.total).toBe(1);
    expect(await campaign(id)).toMatchObject({ status: 'DRAFT', sentCount: 0, deliveredCount: 0 });
    const several = await sender.post(`/campaigns/${id}/test`, { email: ['a@example.com', 'b@example.com'] });
    expect(several.status).toBe(422);
  });

  it('is not sent by a disabled project, nor is a campaign', async () => {
    const id = await create();
    await stack.sql(
      `with disabled as (update projects set disabled = true where id = $1 returning id)
       select pg_notify('project_changed', id::text) from disabled`,
      [sender.projectId],
    );
    const test = () => sender.post(`/campaigns/${id}/test`, { email: 'a@example.com' });
    const refused = await eventually(test, ({ status }) => status !== 200);
    const send = await sender.post(`/campaigns/${id}/send`, {});
    for (const { status, body } of [refused, send]) {
      expect([status, body.error.code]).toEqual([403, 'PROJECT_DISABLED']);
    }
    expect((await campaign(id)).status).toBe('DRAFT');
  });
});

describe('statistics', () => {
  it('are percentages of what was sent, with two decimals', async () => {
    const id = await create();
    expect((await sender.get(`/campaigns/${id}/stats`)).body).toMatchObject({ sentCount: 0, openRate: 0 });
    await stack.sql(
      `insert into campaign_figures (campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed)
       values ($1, 300, 290, 100, 1, 10, 2, 7)`,
      [id],
    );
    expect((await sender.get(`/campaigns/${id}/stats`)).body).toEqual({
      totalRecipients: 300,
      sentCount: 300,
      deliveredCount: 290,
      openedCount: 100,
      clickedCount: 1,
      bouncedCount: 10,
      complainedCount: 2,
      unsubscribedCount: 7,
      deliveryRate: 96.67,
      openRate: 33.33,
      clickRate: 0.33,
      bounceRate: 3.33,
      complaintRate: 0.67,
      unsubscribeRate: 2.33,
    });
  });
});
