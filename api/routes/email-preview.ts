import { defineRoute } from '../edge/define-route.ts';
import { emailPreviewSchema, previewEmailBodySchema } from '../schemas/email-preview.ts';

const bodyExample = {
  subject: 'Welcome, {{ firstName ?? "friend" }}',
  body: '<p>Hello {{ firstName ?? "friend" }}, <a href="">read on</a>.</p>',
  type: 'TRANSACTIONAL',
  from: 'hello@example.com',
  email: 'ada@example.com',
  data: { firstName: 'Ada' },
};

const example = {
  subject: 'Welcome, Ada',
  html: '<p>Hello Ada, <a href="">read on</a>.</p>',
  text: 'Hello Ada, read on.',
  sizeBytes: 41,
  headers: {},
  problems: [
    {
      code: 'link_empty' as const,
      severity: 'warning' as const,
      message: 'A link leads nowhere: <a href="">',
      field: 'body' as const,
      line: 1,
      column: 39,
    },
  ],
};

const previewRoute = (path: string, tag: string, what: string) =>
  defineRoute({
    method: 'POST',
    path,
    tags: [tag],
    summary: `Render ${what} without storing it`,
    description:
      'As it would be sent, with footer and headers; its unsubscribe links lead to a page but do nothing. Rendered ' +
      'for a contact, or for an address that is none. `problems` lists what to fix before sending; Liquid that does ' +
      'not parse is one of them, with its line and column, and its part is empty. `event` and `context` stand for ' +
      'the variables of a workflow.',
    body: previewEmailBodySchema,
    bodyExample,
    responses: { 200: { description: 'The email.', schema: emailPreviewSchema, example } },
    errors: ['NOT_FOUND'],
    async handler(ctx) {
      const { project, body } = ctx.state;
      ctx.body = await ctx.services.emailPreview.render(project.id, body);
    },
  });

export const previewTemplate = previewRoute('/templates/preview', 'Templates', 'a template');
export const previewCampaign = previewRoute('/campaigns/preview', 'Campaigns', 'the email of a campaign');
