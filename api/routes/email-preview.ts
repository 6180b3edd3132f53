import { defineRoute, ok } from '../edge/define-route.ts';
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

interface PreviewRoute {
  path: `/${string}`;
  tag: string;
  summary: string;
  description: string;
  takesVariables: boolean;
}

const previewRoute = ({ path, tag, summary, description, takesVariables }: PreviewRoute) =>
  defineRoute(`POST ${path}`, {
    tags: [tag],
    summary,
    description:
      'As it would be sent, with footer and headers; its unsubscribe links lead to a page but do nothing. Rendered ' +
      'for a contact, or for an address without a contact. `problems` lists what to fix before sending; Liquid that does ' +
      'not parse is one of them, with its line and column, and its part is empty. `event` and `context` stand for ' +
      `the variables of a workflow.${description}`,
    body: previewEmailBodySchema,
    bodyExample,
    responses: ok('The email.', emailPreviewSchema, example),
    place: 'elsewhere',
    errors: ['NOT_FOUND'],
    async handler(ctx, { project, body }) {
      ctx.body = await ctx.services.emailPreview.render(project.id, body, { takesVariables });
    },
  });

export const previewTemplate = previewRoute({
  path: '/templates/preview',
  tag: 'Templates',
  summary: 'Render a template without storing it',
  description:
    ' Fields that no contact has are among the problems: with `event` or `context`, as for a campaign; otherwise in one ' +
    'note, because the request that sends the template may pass them in `data`, except for those that look mistyped.',
  takesVariables: true,
});

export const previewCampaign = previewRoute({
  path: '/campaigns/preview',
  tag: 'Campaigns',
  summary: 'Render the email of a campaign without storing it',
  description: ' Fields that no contact has are among the problems, unless they have a fallback.',
  takesVariables: false,
});
