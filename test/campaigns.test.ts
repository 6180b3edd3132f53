import { describe, expect, it } from 'vitest';
import type { TestAnswer } from './setup/answer.ts';
import { memberOf, planIs, where } from './setup/segments.ts';
import { useOneSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const other = useOneSender(stack);

const proPlan = planIs('pro');

const campaign = (changes: Record<string, unknown> = {}) => ({
  name: 'News',
  subject: 'News for {{ firstName ?? "you" }}',
  body: '<p>Hello {{ firstName }}</p>',
  from: `news@${sender.domain}`,
  audienceType: 'ALL',
  ...changes,
});

async function create(changes: Record<string, unknown> = {}): Promise<TestAnswer['body']> {
  const answer = await sender.post('/campaigns', campaign(changes));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  expect(answer.body.success).toBe(true);
  return answer.body.data;
}

const addContact = (email: string, body: Record<string, unknown> = {}) =>
  sender.post('/contacts', { email, ...body });

describe('a new campaign', () => {
  it('is a draft, returned in full, and marketing by default', async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'News',
      description: null,
      subject: 'News for {{ firstName ?? "you" }}',
      body: '<p>Hello {{ firstName }}</p>',
      from: `news@${sender.domain}`,
      fromName: null,
      replyTo: null,
      type: 'MARKETING',
      status: 'DRAFT',
      audienceType: 'ALL',
      audienceCondition: null,
      segmentId: null,
      scheduledFor: null,
      cancelReason: null,
      pausedReason: null,
      temporalWorkflowId: null,
      temporalUrl: null,
      progress: null,
      totalRecipients: 0,
      sentCount: 0,
      deliveredCount: 0,
      openedCount: 0,
      clickedCount: 0,
      bouncedCount: 0,
      complainedCount: 0,
      unsubscribedCount: 0,
      projectId: sender.projectId,
      sentAt: null,
      startedAt: null,
      frozenAt: null,
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
    });
    const got = await sender.get(`/campaigns/${created.id}`);
    expect(got).toMatchObject({ status: 200, body: { success: true, data: created } });
  });

  it('estimates its recipients by audience and type on every read', async () => {
    await addContact('one@example.com', { data: { plan: 'pro' } });
    await addContact('two@example.com', { data: { plan: 'free' } });
    await addContact('three@example.com', { subscribed: false, data: { plan: 'pro' } });
    const filtered = { audienceType: 'FILTERED', audienceCondition: proPlan };
    expect(await create()).toMatchObject({ totalRecipients: 2 });
    expect(await create({ type: 'HEADLESS' })).toMatchObject({ totalRecipients: 2 });
    expect(await create({ type: 'TRANSACTIONAL' })).toMatchObject({ totalRecipients: 3 });
    expect(await create({ ...filtered, type: 'TRANSACTIONAL' })).toMatchObject({ totalRecipients: 2 });
    const created = await create(filtered);
    expect(created).toMatchObject({ totalRecipients: 1, audienceCondition: proPlan });
    await addContact('two@example.com', { data: { plan: 'pro' } });
    expect((await sender.get(`/campaigns/${created.id}`)).body.data.totalRecipients).toBe(2);
  });

  it('gets 400 without the fields that its audience needs, and with an invalid condition', async () => {
    const refusals: [Record<string, unknown>, string][] = [
      [{ audienceType: 'SEGMENT' }, 'segmentId is required'],
      [{ audienceType: 'FILTERED' }, 'audienceCondition is required'],
      [{ audienceType: 'FILTERED', audienceCondition: 'x' }, 'audienceCondition: Expected an object'],
      [
        { audienceType: 'FILTERED', audienceCondition: where({}) },
        'audienceCondition.groups.0.filters.0.field',
      ],
      [{ body: '<p>\n{% if %}' }, 'Liquid, line 2'],
    ];
    for (const [changes, message] of refusals) {
      const answer = await sender.post('/campaigns', campaign(changes));
      expect(answer.body.error).toMatchObject({ code: 'BAD_REQUEST' });
      expect(answer.body.error.message).toContain(message);
      expect(answer.status).toBe(400);
    }
    expect((await sender.get('/campaigns')).body.total).toBe(0);
  });

  it('gets 422 for each missing or malformed field', async () => {
    const answer = await sender.post('/campaigns', { audienceType: 'EVERYONE', from: 'x', segmentId: 7 });
    expect(answer.status).toBe(422);
    const fields = answer.body.error.errors.map((issue: { field: string }) => issue.field);
    expect(fields.sort()).toEqual(['audienceType', 'body', 'from', 'name', 'segmentId', 'subject']);
  });

  it('gets 403 for an unverified domain, and 404 for a segment of another project', async () => {
    const answer = await sender.post('/campaigns', campaign({ from: `x@${other.domain}` }));
    expect(answer.status).toBe(403);
    expect(answer.body.error.details).toEqual({ reason: 'DOMAIN_NOT_REGISTERED', domain: other.domain });
    const foreign = campaign({ audienceType: 'SEGMENT', segmentId: unknownId });
    expect((await sender.post('/campaigns', foreign)).status).toBe(404);
  });
});

describe('the list of campaigns', () => {
  it('is filtered by status and text, ordered and paged', async () => {
    for (const name of ['Alpha', 'beta', 'Gamma 100%']) await create({ name, subject: `About ${name}` });
    const names = async (query: string) =>
      (await sender.get(`/campaigns?${query}`)).body.data.map((one: { name: string }) => one.name);
    expect(await names('')).toEqual(['Gamma 100%', 'beta', 'Alpha']);
    expect(await names('sort=name&dir=asc')).toEqual(['Alpha', 'beta', 'Gamma 100%']);
    expect(await names('sort=nonsense&dir=up')).toEqual(['Gamma 100%', 'beta', 'Alpha']);
    expect(await names('search=ALPHA')).toEqual(['Alpha']);
    expect(await names(`search=${encodeURIComponent('100%')}`)).toEqual(['Gamma 100%']);
    expect(await names(`search=news@`)).toHaveLength(3);
    expect(await names('status=SENT')).toEqual([]);
    expect(await names('status=DRAFT&pageSize=2&page=2')).toEqual(['Alpha']);
    const page = (await sender.get('/campaigns?pageSize=2')).body;
    expect(page).toMatchObject({ page: 1, pageSize: 2, total: 3, totalPages: 2 });
    expect((await sender.get('/campaigns?status=LOST')).status).toBe(400);
    const { body, ...rest } = page.data[0];
    expect(body).toEqual(expect.any(String));
    expect((await sender.get('/campaigns?pageSize=2&body=false')).body.data[0]).toEqual(rest);
    expect((await other.get('/campaigns')).body.data).toEqual([]);
  });
});

it('a campaign never answers fewer recipients than were sent to, even if it is read before they are added', async () => {
  const { id } = await create();
  await stack.sql('insert into campaign_figure_changes (campaign_id, sent, held) values ($1, 2, 1)', [id]);
  const figures = { totalRecipients: 3, sentCount: 2 };
  expect((await sender.get(`/campaigns/${id}`)).body.data).toMatchObject(figures);
  expect((await sender.get(`/campaigns/${id}/stats`)).body).toMatchObject(figures);
});

describe('a draft', () => {
  it('can be replaced, which clears omitted fields', async () => {
    const created = await create({
      description: 'a note',
      audienceType: 'FILTERED',
      audienceCondition: proPlan,
    });
    const answer = await sender.put(
      `/campaigns/${created.id}`,
      campaign({ name: 'Other', type: 'HEADLESS' }),
    );
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      id: created.id,
      name: 'Other',
      type: 'HEADLESS',
      description: null,
      audienceType: 'ALL',
      audienceCondition: null,
      createdAt: created.createdAt,
    });
    const refused = await sender.put(`/campaigns/${created.id}`, campaign({ audienceType: 'SEGMENT' }));
    expect(refused.status).toBe(400);
    const unverified = await sender.put(`/campaigns/${created.id}`, campaign({ from: 'x@unknown.example' }));
    expect(unverified.status).toBe(403);
  });

  it('is duplicated with its content and audience', async () => {
    const created = await create({ audienceType: 'FILTERED', audienceCondition: proPlan, fromName: 'Zoë' });
    const answer = await sender.post(`/campaigns/${created.id}/duplicate`, {});
    expect(answer.status).toBe(201);
    const { id, createdAt, updatedAt, ...content } = answer.body.data;
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...original } = created;
    expect(id).not.toBe(created.id);
    expect(content).toEqual({ ...original, name: 'News (Copy)' });
  });

  it('can be deleted', async () => {
    const created = await create();
    expect((await sender.delete(`/campaigns/${created.id}`)).status).toBe(204);
    expect((await sender.get(`/campaigns/${created.id}`)).status).toBe(404);
  });
});

describe('the records that a campaign uses', () => {
  it("can't be deleted before the campaign is over: its domain, its segment, the segments of its condition", async () => {
    const segment = await sender.post('/segments', { name: 'Pro', condition: proPlan });
    const inCondition = await sender.post('/segments', { name: 'Also pro', condition: proPlan });
    const { id } = await create({ audienceType: 'SEGMENT', segmentId: segment.body.id });
    const filtered = await create({
      audienceType: 'FILTERED',
      audienceCondition: memberOf(inCondition.body.id),
    });
    const refused = await sender.delete(`/segments/${segment.body.id}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { details: { campaigns: [{ id, name: 'News' }] } } },
    });
    expect((await sender.delete(`/segments/${inCondition.body.id}`)).status).toBe(409);
    const domains = (await sender.get(`/domains/project/${sender.projectId}`)).body.data;
    expect((await sender.delete(`/domains/${domains[0].id}`)).body.error.details.campaigns).toHaveLength(2);

    for (const one of [id, filtered.id]) await sender.delete(`/campaigns/${one}`);
    expect((await sender.delete(`/segments/${segment.body.id}`)).status).toBe(204);
    expect((await sender.delete(`/segments/${inCondition.body.id}`)).status).toBe(204);
    expect((await sender.delete(`/domains/${domains[0].id}`)).status).toBe(204);
  });

  it('refuses a condition on a segment of another project', async () => {
    const foreign = await other.post('/segments', { name: 'Foreign', condition: proPlan });
    const answer = await sender.post(
      '/campaigns',
      campaign({ audienceType: 'FILTERED', audienceCondition: memberOf(foreign.body.id) }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error.errors).toMatchObject([
      { field: 'audienceCondition.groups.0.filters.0.field', message: 'Unknown segment' },
    ]);
  });
});
