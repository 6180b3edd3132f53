import { csvFileName } from '../../core/csv/csv-file-name.ts';
import type { Recipient } from '../../db/statements/campaigns/list-recipients.ts';
import { answerCsv, csvFile } from '../edge/answer-csv.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { csvColumns } from '../presenters/csv-columns.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/campaign-recipients.ts';

const presentRecipient = (recipient: Recipient) => present(schemas.recipientSchema, recipient);
const columns = csvColumns(schemas.recipientSchema, presentRecipient);

export const listCampaignRecipients = defineRoute('GET /campaigns/:id/recipients', {
  summary: 'List the recipients of a campaign',
  description: 'By the outcome of their email, oldest contact first. Erased contacts are left out.',
  query: schemas.listRecipientsQuerySchema,
  responses: ok('A page of recipients.', schemas.recipientPageSchema),
  errors: ['NOT_FOUND', 'BAD_REQUEST'],
  async handler(ctx, { project, params, query }) {
    const found = await ctx.services.campaignRecipients.list(project.id, params.id, query);
    ctx.body = {
      data: found.recipients.map(presentRecipient),
      cursor: found.cursor,
      hasMore: found.cursor !== null,
      searchedUntil: found.searchedUntil?.toISOString() ?? null,
    };
  },
});

export const exportCampaignRecipients = defineRoute('GET /campaigns/:id/recipients/export', {
  summary: 'Export the recipients of a campaign as a CSV file',
  description:
    'All recipients that match, in the order of the list, with a column for each field of it; otherwise in the form of ' +
    '`GET /contacts/export`. A campaign that is still being sent keeps changing meanwhile.',
  query: schemas.recipientFilterQuerySchema,
  responses: csvFile,
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params, query }) {
    await answerCsv(ctx, project.id, async () => {
      const { campaign, file } = await ctx.services.campaignRecipients.export(
        project.id,
        params.id,
        query,
        columns,
      );
      return { name: csvFileName(campaign.name, 'recipients'), file };
    });
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
