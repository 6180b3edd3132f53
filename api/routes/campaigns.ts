import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import type { CampaignRecord } from '../../db/repositories/campaigns/campaign-records.ts';
import { defineRoute } from '../edge/define-route.ts';
import { campaignStatsSchema, presentCampaign, presentCampaignStats } from '../presenters/campaign.ts';
import {
  campaignAnswerSchema,
  campaignBodySchema,
  campaignPageSchema,
  listCampaignsQuerySchema,
  sendCampaignBodySchema,
  testCampaignBodySchema,
} from '../schemas/campaigns.ts';
import { presentOffsetPage } from '../schemas/pagination.ts';

const tags = ['Campaigns'];
const params = z.object({ id: idSchema });

const answerWith = (campaign: CampaignRecord) => ({
  success: true as const,
  data: presentCampaign(campaign),
});

const bodyExample = {
  name: 'December news',
  subject: 'News for {{ firstName ?? "you" }}',
  body: '<p>Hello {{ firstName ?? "there" }}, this is new.</p>',
  from: 'news@example.com',
  fromName: 'Example',
  type: 'MARKETING',
  audienceType: 'FILTERED',
  audienceCondition: {
    logic: 'AND',
    groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
  },
};

const example = {
  success: true,
  data: {
    id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
    ...bodyExample,
    description: null,
    replyTo: null,
    status: 'DRAFT',
    segmentId: null,
    scheduledFor: null,
    cancelReason: null,
    progress: null,
    totalRecipients: 1200,
    sentCount: 0,
    deliveredCount: 0,
    openedCount: 0,
    clickedCount: 0,
    bouncedCount: 0,
    complainedCount: 0,
    unsubscribedCount: 0,
    projectId: '01980d9c-1111-7000-8000-000000000001',
    sentAt: null,
    createdAt: '2026-01-31T09:00:00.000Z',
    updatedAt: '2026-01-31T09:00:00.000Z',
  },
};

export const listCampaigns = defineRoute({
  method: 'GET',
  path: '/campaigns',
  auth: 'secretKey',
  tags,
  summary: 'List campaigns',
  query: listCampaignsQuerySchema,
  responses: { 200: { description: 'A page of campaigns.', schema: campaignPageSchema } },
  errors: ['BAD_REQUEST'],
  async handler({ project, query, services }) {
    const { campaigns, total } = await services.campaigns.list(project.id, query);
    return { status: 200, body: presentOffsetPage(campaigns.map(presentCampaign), total, query) };
  },
});

export const createCampaign = defineRoute({
  method: 'POST',
  path: '/campaigns',
  auth: 'secretKey',
  tags,
  summary: 'Create a campaign',
  description:
    'A draft, to be sent with `POST /campaigns/{id}/send`. ALL goes to every subscribed contact (to every contact ' +
    'when the type is TRANSACTIONAL), SEGMENT to the members of a segment, FILTERED to those who meet a condition.',
  body: campaignBodySchema,
  bodyExample,
  responses: { 201: { description: 'The draft.', schema: campaignAnswerSchema, example } },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  async handler({ project, body, services }) {
    const campaign = await services.campaigns.create(project.id, body);
    return { status: 201, body: answerWith(campaign) };
  },
});

export const getCampaign = defineRoute({
  method: 'GET',
  path: '/campaigns/:id',
  auth: 'secretKey',
  tags,
  summary: 'Get a campaign',
  params,
  responses: { 200: { description: 'The campaign.', schema: campaignAnswerSchema, example } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    const campaign = await services.campaigns.get(project.id, id);
    return { status: 200, body: answerWith(campaign) };
  },
});

export const replaceCampaign = defineRoute({
  method: 'PUT',
  path: '/campaigns/:id',
  auth: 'secretKey',
  tags,
  summary: 'Replace a campaign',
  description: 'Accepted until sending starts; what is left out becomes empty or its default.',
  params,
  body: campaignBodySchema,
  bodyExample,
  responses: { 200: { description: 'The campaign.', schema: campaignAnswerSchema, example } },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  async handler({ project, params: { id }, body, services }) {
    const campaign = await services.campaigns.replace(project.id, id, body);
    return { status: 200, body: answerWith(campaign) };
  },
});

export const deleteCampaign = defineRoute({
  method: 'DELETE',
  path: '/campaigns/:id',
  auth: 'secretKey',
  tags,
  summary: 'Delete a campaign',
  description:
    'Not while SCHEDULED or SENDING. What has not left of a cancelled campaign is cancelled first; while that takes ' +
    'more than some seconds, it is refused as well.',
  params,
  responses: { 204: { description: 'Deleted; its emails stay in the history of their contacts.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ project, params: { id }, services }) {
    await services.campaigns.remove(project.id, id);
    return { status: 204 };
  },
});

export const duplicateCampaign = defineRoute({
  method: 'POST',
  path: '/campaigns/:id/duplicate',
  auth: 'secretKey',
  tags,
  summary: 'Duplicate a campaign',
  params,
  responses: {
    201: {
      description: 'A new draft with " (Copy)" behind its name.',
      schema: campaignAnswerSchema,
      example,
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    const campaign = await services.campaigns.duplicate(project.id, id);
    return { status: 201, body: answerWith(campaign) };
  },
});

export const sendCampaign = defineRoute({
  method: 'POST',
  path: '/campaigns/:id/send',
  auth: 'secretKey',
  tags,
  summary: 'Send or schedule a campaign',
  description:
    'From DRAFT, and from SCHEDULED to move it or to send it now. A time that has passed sends at once. The ' +
    'audience is frozen when sending starts. A campaign with more recipients than the project may still send to in ' +
    'the month is refused; a scheduled one is looked at again when it is due, and cancelled if it has come to that.',
  params,
  refuseDisabledProject: true,
  body: sendCampaignBodySchema,
  bodyExample: { scheduledFor: '2026-12-01T09:00:00.000Z' },
  responses: {
    200: {
      description: 'SENDING, or SCHEDULED.',
      schema: campaignAnswerSchema.extend({ message: z.string() }),
    },
  },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'BILLING_LIMIT_EXCEEDED'],
  async handler({ project, params: { id }, body, services }) {
    const campaign = await services.campaignSending.send(project.id, id, body?.scheduledFor ?? null);
    const message =
      campaign.status === 'SCHEDULED'
        ? `Campaign scheduled for ${campaign.scheduledFor?.toISOString()}`
        : 'Campaign is being sent';
    return { status: 200, body: { ...answerWith(campaign), message } };
  },
});

export const cancelCampaign = defineRoute({
  method: 'POST',
  path: '/campaigns/:id/cancel',
  auth: 'secretKey',
  tags,
  summary: 'Cancel a campaign',
  description:
    'From DRAFT, SCHEDULED and SENDING. Once this has answered nothing more leaves but emails that were being ' +
    'handed over at that moment.',
  params,
  responses: { 200: { description: 'CANCELLED.', schema: campaignAnswerSchema } },
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    const campaign = await services.campaignSending.cancel(project.id, id);
    return { status: 200, body: answerWith(campaign) };
  },
});

export const testCampaign = defineRoute({
  method: 'POST',
  path: '/campaigns/:id/test',
  auth: 'secretKey',
  tags,
  summary: 'Send a campaign to one address for a look',
  description:
    'Rendered like a real send, with the data of the contact at that address when there is one; the subject is ' +
    'prefixed `[TEST] `. No contact is created and no counter moves.',
  params,
  refuseDisabledProject: true,
  body: testCampaignBodySchema,
  bodyExample: { email: 'ada@example.com' },
  responses: {
    200: {
      description: 'On its way.',
      schema: z.object({ success: z.literal(true), message: z.string() }),
    },
  },
  errors: ['NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  async handler({ project, params: { id }, body, services }) {
    await services.campaignSending.test(project.id, id, body.email);
    const message = `Test email to ${body.email} is on its way`;
    return { status: 200, body: { success: true as const, message } };
  },
});

export const campaignStats = defineRoute({
  method: 'GET',
  path: '/campaigns/:id/stats',
  auth: 'secretKey',
  tags,
  summary: 'Counts and rates of a campaign',
  params,
  responses: { 200: { description: 'The figures as of now.', schema: campaignStatsSchema } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    return { status: 200, body: presentCampaignStats(await services.campaigns.get(project.id, id)) };
  },
});
