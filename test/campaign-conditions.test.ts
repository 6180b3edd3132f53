import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { lockSegmentReferences } from '../db/statements/segments/lock-segment-references.ts';
import { sql } from '../db/testing/sql.ts';
import { newSegmentComputation, newSegmentRounds } from '../temporal/contracts/segments.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { onlyMessageTo, readInbox, reportEvent } from './setup/inbox.ts';
import { readSegmentEvents } from './setup/read-database.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { createSegment, memberOf, where } from './setup/segments.ts';
import { createTestSender, useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';
import { untilBlocking } from './setup/until-blocking.ts';
import { addStep, createWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useOneSender(stack);
let id: string;

const address = (name: string) => `${name}@readers.example`;
const add = (name: string) => sender.post('/contacts', { email: address(name) });
const of = (operator: string, campaign = id) => ({ field: `campaign.${campaign}`, operator });
const notOpened = () => where(of('sent'), of('notOpened'));

/** On this product's own task queue. */
function run(type: string, input: unknown): Promise<unknown> {
  const { temporal, config } = stack.product.resources;
  const workflow = { taskQueue: config.TEMPORAL_TASK_QUEUE, workflowId: randomUUID(), args: [input] };
  return temporal.workflow.execute(type, workflow);
}

/** Ada opens it, Bob follows a link, Eve does neither, and Dan comes too late to get it. */
beforeAll(async () => {
  for (const name of ['ada', 'bob', 'eve']) await add(name);
  id = await draftCampaign(sender);
  for (const name of ['sent', 'opened'])
    await createSegment(sender, { name, condition: where(of(name)), trackMembership: true });
  await run('segmentComputation', newSegmentComputation);
  await sender.post(`/campaigns/${id}/send`, {});
  await onlyMessageTo(stack.ses, address('eve'));
  const [toAda, toBob] = [
    await onlyMessageTo(stack.ses, address('ada')),
    await onlyMessageTo(stack.ses, address('bob')),
  ];
  await reportEvent(stack.ses, toAda.id, { type: 'open' });
  await reportEvent(stack.ses, toBob.id, { type: 'click', link: 'https://shop.example/' });
  await add('dan');
  const stats = async () => (await sender.get(`/campaigns/${id}/stats`)).body;
  await eventually(
    stats,
    ({ sentCount, openedCount, clickedCount }) => `${sentCount} ${openedCount} ${clickedCount}` === '3 2 1',
  );
});

describe('a condition on a campaign', () => {
  it.each([
    [['sent'], ['ada', 'bob', 'eve']],
    [['notSent'], ['dan']],
    [['opened'], ['ada', 'bob']],
    [['notOpened'], ['dan', 'eve']],
    [['clicked'], ['bob']],
    [['notClicked'], ['ada', 'dan', 'eve']],
    [['sent', 'notOpened'], ['eve']],
  ])('%s matches %s, in a preview and a segment', async (operators, names) => {
    const condition = where(...operators.map((operator) => of(operator)));
    const { body } = await sender.post('/segments/preview', { condition });
    const found = (contacts: { email: string }[]) => contacts.map(({ email }) => email).toSorted();
    expect([body.count, found(body.sample)]).toEqual([names.length, names.map(address)]);
    const segment = await createSegment(sender, { condition });
    expect(segment.memberCount).toBe(names.length);
    const members = (await sender.get(`/segments/${segment.id}/contacts`)).body.data;
    expect(found(members)).toEqual(names.map(address));
    await sender.delete(`/segments/${segment.id}`);
  });

  it('makes contacts enter a tracked segment when they get, open or click the campaign', async () => {
    expect(await run('segmentRounds', newSegmentRounds)).toMatchObject({ failed: 0 });
    expect((await readSegmentEvents(stack.em(), sender.projectId)).toSorted()).toEqual([
      `segment.opened.entry ${address('ada')}`,
      `segment.opened.entry ${address('bob')}`,
      ...['ada', 'bob', 'eve'].map((name) => `segment.sent.entry ${address(name)}`),
    ]);
  });

  it('decides a step of a workflow', async () => {
    const workflowId = await buildWorkflow(
      sender,
      {
        asks: { type: 'CONDITION', config: of('opened') },
        yes: { type: 'EXIT', config: { reason: 'opened' } },
        no: { type: 'EXIT', config: { reason: 'did not open' } },
      },
      [
        ['start', 'asks'],
        ['asks', 'yes', 'yes'],
        ['asks', 'no', 'no'],
      ],
    );
    await trackEvent(sender, 'signup', {}, address('bob'));
    expect(await onlyExecution(sender, workflowId, 'EXITED')).toMatchObject({ exitReason: 'opened' });
    await sender.delete(`/workflows/${workflowId}`);
  });

  it('sends to those who did not open, and to nobody else', async () => {
    const audience = { audienceType: 'FILTERED', audienceCondition: notOpened() };
    const counted = await sender.post('/campaigns/audience', { type: 'MARKETING', ...audience });
    expect(counted.body).toMatchObject({ total: 1, recipients: 1 });
    const again = await draftCampaign(sender, { subject: 'Did you see it?', ...audience });
    await sender.post(`/campaigns/${again}/send`, {});
    await eventually(
      async () => (await sender.get(`/campaigns/${again}`)).body.data.status,
      (status) => status === 'SENT',
    );
    const { messages } = await readInbox(stack.ses, { subject: 'Did you see it?' });
    expect(messages.map(({ to }) => to)).toEqual([[address('eve')]]);
  });
});

it('refuses campaigns that the project does not have, and one that asks about itself', async () => {
  const foreign = await draftCampaign(await createTestSender(stack.url));
  const segment = await createSegment(sender, { condition: where(of('opened')) });
  const workflow = await createWorkflow(sender);
  for (const campaign of [unknownId, foreign]) {
    const condition = where(of('sent'), of('opened', campaign));
    const audience = { audienceType: 'FILTERED', audienceCondition: condition };
    const draft = { name: 'N', subject: 'N', body: 'N', from: `n@${sender.domain}`, ...audience };
    const refused = {
      condition: [
        await sender.post('/segments', { name: 'Segment', condition }),
        await sender.patch(`/segments/${segment.id}`, { condition }),
        await sender.post('/segments/preview', { condition }),
      ],
      audienceCondition: [
        await sender.post('/campaigns', draft),
        await sender.post('/campaigns/audience', audience),
      ],
      config: [
        await sender.post(`/workflows/${workflow.id}/steps`, { type: 'CONDITION', config: condition }),
      ],
    };
    for (const [path, answers] of Object.entries(refused)) {
      for (const { status, body } of answers) {
        const message = `${path}.groups.0.filters.1.field: Unknown campaign`;
        expect([status, body.error.message ?? body.error]).toEqual([400, message]);
      }
    }
  }
  const own = await draftCampaign(sender);
  const content = { name: 'N', subject: 'N', body: 'N', from: `n@${sender.domain}` };
  const itself = { ...content, audienceType: 'FILTERED', audienceCondition: where(of('notSent', own)) };
  const { status, body } = await sender.put(`/campaigns/${own}`, itself);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('would depend on itself')]);
  await sender.delete(`/segments/${segment.id}`);
});

it('lets no campaign depend on itself through a segment, until it has been sent', async () => {
  const condition = (campaign: string) => where(of('notSent', campaign));
  const draft = await draftCampaign(sender);
  const about = (await createSegment(sender, { name: 'about it', condition: condition(draft) })).id;
  const around = (await createSegment(sender, { name: 'around it', condition: memberOf(about) })).id;
  const { data } = (await sender.get(`/campaigns/${draft}`)).body;
  for (const audience of [
    { audienceType: 'SEGMENT', segmentId: about },
    { audienceType: 'SEGMENT', segmentId: around },
    { audienceType: 'FILTERED', audienceCondition: memberOf(around) },
  ]) {
    const { status, body } = await sender.put(`/campaigns/${draft}`, { ...data, ...audience });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining('would depend on itself')]);
  }
  for (const segment of [around, about]) await sender.delete(`/segments/${segment}`);

  const { id: plain } = await createSegment(sender, { name: 'plain', condition: where(of('sent')) });
  for (const audience of [
    { audienceType: 'SEGMENT', segmentId: plain },
    { audienceType: 'FILTERED', audienceCondition: memberOf(plain) },
  ]) {
    expect((await sender.put(`/campaigns/${draft}`, { ...data, ...audience })).status).toBe(200);
    const { status, body } = await sender.patch(`/segments/${plain}`, { condition: condition(draft) });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining('would depend on itself')]);
  }
  const { id: asking } = await createSegment(sender, { name: 'asking', condition: condition(draft) });
  const { id: beside } = await createSegment(sender, { name: 'beside', condition: memberOf(asking) });
  for (const through of [memberOf(asking), memberOf(beside)]) {
    const { status, body } = await sender.patch(`/segments/${plain}`, { condition: through });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining('“asking” asks who got it')]);
  }

  await sender.post(`/campaigns/${draft}/send`, {});
  await eventually(
    () => sender.get(`/campaigns/${draft}`),
    ({ body }) => body.data.status === 'SENT',
  );
  for (const allowed of [memberOf(beside), condition(draft)])
    expect((await sender.patch(`/segments/${plain}`, { condition: allowed })).status).toBe(200);
});

describe('a campaign that a condition refers to', () => {
  it('is not deleted, and the answer names what refers to it', async () => {
    const campaign = await draftCampaign(sender);
    const condition = where(of('opened', campaign.toUpperCase()));
    const segment = await createSegment(sender, { name: 'Readers', condition });
    const draft = await draftCampaign(sender, { audienceType: 'FILTERED', audienceCondition: condition });
    const workflow = await createWorkflow(sender);
    const step = await addStep(sender, workflow.id, { type: 'CONDITION', config: of('sent', campaign) });
    const { status, body } = await sender.delete(`/campaigns/${campaign}`);
    expect([status, body.error.details]).toEqual([
      409,
      {
        segments: [{ id: segment.id, name: 'Readers' }],
        campaigns: [{ id: draft, name: 'News' }],
        workflows: [{ id: workflow.id, name: 'Welcome' }],
      },
    ]);
    for (const path of [
      `/segments/${segment.id}`,
      `/campaigns/${draft}`,
      `/workflows/${workflow.id}/steps/${step.id}`,
    ]) {
      expect((await sender.delete(`/campaigns/${campaign}`)).status).toBe(409);
      await sender.delete(path);
    }
    expect((await sender.delete(`/campaigns/${campaign}`)).status).toBe(204);
  });

  it('is kept if another process is just storing the condition', async () => {
    const campaign = await draftCampaign(sender);
    const [deleting] = await stack.em().transactional(async (em) => {
      await lockSegmentReferences(em, sender.projectId);
      const answer = sender.delete(`/campaigns/${campaign}`);
      await untilBlocking(em);
      const condition = JSON.stringify(where(of('sent', campaign)));
      await sql(
        em,
        `insert into segments (id, project_id, name, slug, type, condition)
         values (uuidv7(), $1, 'Readers', 'readers', 'DYNAMIC', $2)`,
        [sender.projectId, condition],
      );
      return [answer];
    });
    expect((await deleting).body.error.details.segments).toMatchObject([{ name: 'Readers' }]);
  });

  it('is unknown to a condition that is stored while another process deletes it', async () => {
    const campaign = await draftCampaign(sender);
    const [storing] = await stack.em().transactional(async (em) => {
      await lockSegmentReferences(em, sender.projectId);
      const answer = sender.post('/segments', { name: 'Late', condition: where(of('sent', campaign)) });
      await untilBlocking(em);
      await sql(em, 'delete from campaigns where id = $1', [campaign]);
      return [answer];
    });
    expect((await storing).body.error).toContain('Unknown campaign');
  });
});
