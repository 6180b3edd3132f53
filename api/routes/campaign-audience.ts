import { defineRoute } from '../edge/define-route.ts';
import { presentAudience } from '../presenters/campaign.ts';
import { audienceBodySchema, audienceSchema } from '../schemas/campaigns.ts';

const kept = 'In a project with more than 50,000 contacts, the count is cached for 30 seconds.';
const responses = {
  200: {
    description: 'As of now.',
    schema: audienceSchema,
    example: { total: 1280, recipients: 1200, excluded: { unsubscribed: 61, snoozed: 7, suppressed: 12 } },
  },
};

export const previewAudience = defineRoute('POST /campaigns/audience', {
  summary: 'Count who would get a campaign',
  description: `Counts recipients and exclusions by reason, before a campaign exists. ${kept}`,
  body: audienceBodySchema,
  bodyExample: { type: 'MARKETING', audienceType: 'ALL' },
  responses,
  place: 'elsewhere',
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
  async handler(ctx, { project, body }) {
    ctx.body = presentAudience(await ctx.services.audiencePreview.preview(project.id, body));
  },
});

export const campaignAudience = defineRoute('GET /campaigns/:id/audience', {
  summary: 'Count who would get a campaign if it started now',
  description: `Also for a campaign already sent: \`totalRecipients\` is the number it was sent to. ${kept}`,
  responses,
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentAudience(await ctx.services.audiencePreview.ofCampaign(project.id, params.id));
  },
});
