import { z } from 'zod';
import type { CountedCampaign } from '../../db/statements/campaigns/read-campaign-counters.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { holdAnswer } from '../edge/hold-answer.ts';
import { presentCampaign, presentCampaignStats } from '../presenters/campaign.ts';
import { presentOffsetPage } from '../presenters/page.ts';
import { bodyBytesOf, withoutBody } from '../presenters/template.ts';
import { campaignBodyExample, campaignExample } from '../schemas/campaign-examples.ts';
import * as schemas from '../schemas/campaigns.ts';
import { testEmailAnswerSchema, testEmailBodySchema } from '../schemas/email-preview.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';
import { mostBodyBytes } from '../schemas/pagination.ts';
import type { Services } from '../services/services.ts';

interface CampaignContext {
  services: Services;
  body: z.output<typeof schemas.campaignAnswerSchema>;
}

async function answerWith(ctx: CampaignContext, campaign: Promise<CountedCampaign>): Promise<void> {
  ctx.body = { success: true, data: presentCampaign(await campaign, ctx.services.temporalRuns) };
}

export const listCampaigns = defineRoute('GET /campaigns', {
  summary: 'List campaigns',
  query: schemas.listCampaignsQuerySchema,
  responses: ok('A page of campaigns.', schemas.campaignPageSchema),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const shrinkTo = query.body ? await holdAnswer(ctx, project.id, mostBodyBytes(query)) : undefined;
    const [campaigns, total] = await ctx.services.campaigns.list(project.id, query);
    shrinkTo?.(bodyBytesOf(campaigns.map(({ campaign }) => campaign)));
    ctx.body = presentOffsetPage(
      campaigns
        .map((one) => presentCampaign(one, ctx.services.temporalRuns))
        .map((one) => (query.body ? one : withoutBody(one))),
      total,
      query,
    );
  },
});

export const createCampaign = defineRoute('POST /campaigns', {
  summary: 'Create a campaign',
  description:
    'A draft, to be sent with `POST /campaigns/{id}/send`. ALL goes to every subscribed contact (to every ' +
    'contact when the type is TRANSACTIONAL), SEGMENT to the members of a segment, FILTERED to those who ' +
    'meet a condition.',
  body: schemas.campaignBodySchema,
  bodyExample: campaignBodyExample,
  idempotent: 'byPath',
  responses: created('The draft.', schemas.campaignAnswerSchema, campaignExample),
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  place: 'byService',
  handler: (ctx, { project, body }) => answerWith(ctx, ctx.services.campaigns.create(project.id, body)),
});

export const getCampaign = defineRoute('GET /campaigns/:id', {
  summary: 'Get a campaign',
  responses: ok('The campaign.', schemas.campaignAnswerSchema, campaignExample),
  errors: ['NOT_FOUND'],
  handler: (ctx, { project, params }) => answerWith(ctx, ctx.services.campaigns.get(project.id, params.id)),
});

export const replaceCampaign = defineRoute('PUT /campaigns/:id', {
  summary: 'Replace a campaign',
  description: 'Possible until sending starts. Omitted fields become empty or their default.',
  headers: ifMatchHeadersSchema,
  body: schemas.campaignBodySchema,
  bodyExample: campaignBodyExample,
  responses: ok('The campaign.', schemas.campaignAnswerSchema, campaignExample),
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'CONFLICT'],
  place: 'byService',
  handler: (ctx, { project, body, params, headers }) =>
    answerWith(ctx, ctx.services.campaigns.replace(project.id, params.id, body, headers['if-match'])),
});

export const deleteCampaign = defineRoute('DELETE /campaigns/:id', {
  summary: 'Delete a campaign',
  description:
    'Refused while SCHEDULED or SENDING. Unsent emails of a cancelled campaign are cancelled first. The call is refused ' +
    'too if that takes longer than a few seconds, and while emails are being handed over: usually for seconds, after ' +
    'a crash of a worker for a minute. While a condition of a segment, a workflow or an unfinished campaign refers to ' +
    'it, it is refused, too; `details` lists those.',
  responses: { 204: { description: 'Deleted; its emails stay in the history of their contacts.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  place: 'byService',
  handler: (ctx, { project, params }) => ctx.services.campaigns.remove(project.id, params.id),
});

export const duplicateCampaign = defineRoute('POST /campaigns/:id/duplicate', {
  summary: 'Duplicate a campaign',
  idempotent: 'byPath',
  responses: created(
    'A new draft with " (Copy)" appended to its name.',
    schemas.campaignAnswerSchema,
    campaignExample,
  ),
  errors: ['NOT_FOUND'],
  handler: (ctx, { project, params }) =>
    answerWith(ctx, ctx.services.campaigns.duplicate(project.id, params.id)),
});

export const testSubjects = defineRoute('POST /campaigns/:id/subject-test', {
  summary: 'Test two subjects of a campaign',
  description:
    'Makes the draft test A, and creates the drafts test B, with the other subject, and, below 50 percent, one for the ' +
    'rest. Their audiences are random parts of that of the draft, so that each recipient is in one of them. Send A and ' +
    'B, compare their figures, then send the rest with the better subject.',
  headers: ifMatchHeadersSchema,
  body: schemas.subjectTestBodySchema,
  bodyExample: { subject: 'Spring is back', percent: 10 },
  idempotent: 'byPath',
  responses: created('The drafts.', schemas.subjectTestAnswerSchema),
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'CONFLICT'],
  place: 'byService',
  async handler(ctx, { project, body, params, headers }) {
    const drafts = await ctx.services.campaigns.testSubjects(
      project.id,
      params.id,
      body,
      headers['if-match'],
    );
    const data = drafts.map((draft) => presentCampaign(draft, ctx.services.temporalRuns));
    ctx.body = { success: true as const, data };
  },
});

export const sendCampaign = defineRoute('POST /campaigns/:id/send', {
  summary: 'Send or schedule a campaign',
  description:
    'Possible in DRAFT, and in SCHEDULED to reschedule it or send it now. A time in the past sends ' +
    'immediately. The audience is frozen when sending starts. A campaign with more recipients than the ' +
    "project's remaining monthly limit is refused; a scheduled one is checked again when it is due, and " +
    'cancelled if it exceeds the limit.',
  refuseDisabledProject: true,
  headers: ifMatchHeadersSchema,
  place: 'byService',
  body: schemas.sendCampaignBodySchema,
  bodyExample: { scheduledFor: '2026-12-01T09:00:00.000Z' },
  responses: ok('SENDING, or SCHEDULED.', schemas.campaignAnswerSchema.extend({ message: z.string() })),
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'BILLING_LIMIT_EXCEEDED', 'CONFLICT'],
  async handler(ctx, { project, body, params, headers }) {
    const scheduledFor = body?.scheduledFor ?? null;
    const { campaignSending, temporalRuns } = ctx.services;
    const sent = await campaignSending.send(project.id, params.id, scheduledFor, headers['if-match']);
    const data = presentCampaign(sent, temporalRuns);
    const message =
      data.status === 'SCHEDULED' ? `Campaign scheduled for ${data.scheduledFor}` : 'Campaign is being sent';
    ctx.body = { success: true, data, message };
  },
});

export const cancelCampaign = defineRoute('POST /campaigns/:id/cancel', {
  summary: 'Cancel a campaign',
  description:
    'Possible in DRAFT, SCHEDULED and SENDING. After the response, only emails already being handed over ' +
    'to the provider still leave.',
  responses: ok('CANCELLED.', schemas.campaignAnswerSchema),
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
  place: 'byService',
  handler: (ctx, { project, params }) =>
    answerWith(ctx, ctx.services.campaignSending.cancel(project.id, params.id)),
});

export const testCampaign = defineRoute('POST /campaigns/:id/test', {
  summary: 'Send a test of a campaign to one address',
  description:
    'Rendered like a real send, with the data of the contact at that address when there is one; the ' +
    'subject is prefixed `[TEST] `. No contact is created and no counter moves.',
  refuseDisabledProject: true,
  body: testEmailBodySchema,
  bodyExample: { email: 'ada@example.com' },
  responses: ok('On its way.', testEmailAnswerSchema),
  errors: ['NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  async handler(ctx, { project, body, params }) {
    await ctx.services.campaignSending.test(project.id, params.id, body.email);
    const message = `Test email to ${body.email} was queued`;
    ctx.body = { success: true as const, message };
  },
});

export const campaignStats = defineRoute('GET /campaigns/:id/stats', {
  summary: 'Counts and rates of a campaign',
  responses: ok('The figures as of now.', schemas.campaignStatsSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentCampaignStats(await ctx.services.campaigns.get(project.id, params.id));
  },
});
