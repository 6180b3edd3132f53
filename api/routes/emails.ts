import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import { answerCsv, csvFile } from '../edge/answer-csv.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { csvColumns } from '../presenters/csv-columns.ts';
import { presentTimeline } from '../presenters/email-timeline.ts';
import { present } from '../presenters/present.ts';
import {
  emailDetailSchema,
  emailFilterQuerySchema,
  emailPageSchema,
  emailSchema,
  listEmailsQuerySchema,
} from '../schemas/emails.ts';

const presentEmail = (email: LoggedEmail) =>
  present(emailSchema, { ...email, to: email.toEmail, from: email.fromEmail });
const columns = csvColumns(emailSchema, presentEmail);

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

export const exportEmails = defineRoute('GET /emails/export', {
  summary: 'Export emails of all sources as a CSV file',
  description:
    'All emails that match, newest first, without those accepted during the export. A column for each field of the ' +
    'list; otherwise in the form of `GET /contacts/export`.',
  query: emailFilterQuerySchema,
  responses: csvFile,
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    await answerCsv(ctx, project.id, async () => ({
      name: 'emails.csv',
      file: await ctx.services.emailLog.export(project.id, query, columns),
    }));
  },
});

export const getEmail = defineRoute('GET /emails/:id', {
  summary: 'Get an email, what became of it, and its content',
  responses: ok('The email.', emailDetailSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const { email, events, body, runId } = await ctx.services.emailDetail.get(project.id, params.id);
    ctx.body = {
      ...presentEmail(email),
      messageId: email.messageId,
      timeline: presentTimeline(email, events),
      bodyAvailable: body !== null,
      body,
      ...ctx.services.temporalRuns(runId),
    };
  },
});
