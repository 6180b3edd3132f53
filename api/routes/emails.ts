import { defineRoute, ok } from '../edge/define-route.ts';
import { presentEmail, presentEmailDetail } from '../presenters/email.ts';
import { emailDetailSchema, emailPageSchema, listEmailsQuerySchema } from '../schemas/emails.ts';

export const listEmails = defineRoute('GET /emails', {
  summary: 'List emails of all sources, newest first',
  description:
    'Filters may be combined. Address, source, campaign, workflow, contact, time and the statuses BOUNCED, COMPLAINED, ' +
    'FAILED and SUPPRESSED use an index. `search` without an `@` and the other statuses scan the newest emails, a ' +
    'limited number per page: `searchedBackTo` tells how far back.',
  query: listEmailsQuerySchema,
  responses: ok('A page of emails.', emailPageSchema),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const { emails, cursor, searchedBackTo } = await ctx.services.emailLog.list(project.id, query);
    ctx.body = {
      data: emails.map(presentEmail),
      cursor,
      hasMore: cursor !== null,
      searchedBackTo: searchedBackTo?.toISOString() ?? null,
    };
  },
});

export const getEmail = defineRoute('GET /emails/:id', {
  summary: 'Get an email, what became of it, and its content',
  responses: ok('The email.', emailDetailSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const detail = await ctx.services.emailDetail.get(project.id, params.id);
    ctx.body = presentEmailDetail(detail, ctx.services.temporalRuns);
  },
});
