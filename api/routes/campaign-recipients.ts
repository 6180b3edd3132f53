import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/campaign-recipients.ts';

export const listCampaignRecipients = defineRoute('GET /campaigns/:id/recipients', {
  summary: 'List the recipients of a campaign',
  description: 'By the outcome of their email, oldest contact first. Erased contacts are left out.',
  query: schemas.listRecipientsQuerySchema,
  responses: ok('A page of recipients.', schemas.recipientPageSchema),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, params, query }) {
    const found = await ctx.services.campaignRecipients.list(project.id, params.id, query);
    ctx.body = {
      data: found.recipients.map((recipient) => present(schemas.recipientSchema, recipient)),
      cursor: found.cursor,
      hasMore: found.cursor !== null,
      searchedUntil: found.searchedUntil?.toISOString() ?? null,
    };
  },
});

export const listCampaignLinks = defineRoute('GET /campaigns/:id/links', {
  summary: 'List the links of a campaign that recipients followed',
  description:
    'Most recipients first, at most 500. Clicks appear within seconds, and expire with the event history.',
  responses: ok('The links.', schemas.campaignLinksSchema, {
    data: [{ link: 'https://example.com/', clicks: 312, uniqueClicks: 248 }],
  }),
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, params }) {
    ctx.body = { data: await ctx.services.campaignRecipients.links(project.id, params.id) };
  },
});
