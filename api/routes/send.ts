import { defineRoute, ok } from '../edge/define-route.ts';
import { sendAnswerSchema, sendBodySchema } from '../schemas/send.ts';

export const sendEmail = defineRoute('POST /v1/send', {
  summary: 'Send a transactional email',
  description:
    'Creates or updates each recipient and sends each a separate email. Accepted emails leave at once; ' +
    '`GET /activity` shows their outcome.\n\nWith `template` in place of `subject`, `body` and `from`, ' +
    'the template supplies all three, the reply address and the type; fields of the request take precedence: `{ ' +
    '"to": "ada@example.com", "template": "<id>", "data": { … } }`. An email of type MARKETING or ' +
    'HEADLESS to a contact that is not subscribed is kept as SUPPRESSED and not sent. If the recipients ' +
    "exceed the project's remaining monthly limit, the whole call is refused with 402. The body has at most 40 MB, and " +
    'the size of `data` times the recipients is at most 8 MB; beyond that, split the call.',
  refuseDisabledProject: true,
  idempotent: 'byProject',
  hot: true,
  bodyLimitBytes: 40 * 1024 * 1024,
  body: sendBodySchema,
  bodyExample: {
    to: { email: 'ada@example.com', name: 'Ada' },
    from: { email: 'hello@example.com', name: 'Example' },
    subject: 'Welcome, {{ firstName ?? "friend" }}',
    body: '<p>Your code is <b>{{ code }}</b>.</p>',
    data: { firstName: 'Ada', code: { value: '481516', persistent: false } },
  },
  responses: ok('Accepted; one entry per recipient.', sendAnswerSchema),
  errors: ['NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'BILLING_LIMIT_EXCEEDED', 'IDEMPOTENCY_KEY_REUSED'],
  async handler(ctx, { project, body }) {
    const { emails, occurredAt } = await ctx.services.send.send(project, body);
    ctx.body = {
      success: true,
      data: {
        emails: emails.map(({ contactId, contactEmail, emailId }) => ({
          contact: { id: contactId, email: contactEmail },
          email: emailId,
        })),
        timestamp: occurredAt.toISOString(),
      },
    };
  },
});
