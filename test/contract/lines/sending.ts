import { randomUUID } from 'node:crypto';
import { type ContractLine, malformedKeys, type Refusal, under, withBody, withQuery } from '../line.ts';
import { cursorFields, emailFields } from './fields.ts';

const verifyFields = [
  'email',
  'valid',
  'isDisposable',
  'isAlias',
  'isTypo',
  'isPlusAddressed',
  'isPersonalEmail',
  'domainExists',
  'hasWebsite',
  'hasMxRecords',
  'reasons',
];
const tracked = ['success', ...under('data', ['contact', 'event', 'timestamp'])];

const reserved = (event: string): Refusal => ({
  when: `the event is the reserved ${event}`,
  status: 422,
  code: 'VALIDATION_ERROR',
  issue: 'reserved_event',
  change: withBody({ event }),
});
const trackRefusals: Refusal[] = [
  ...[
    'email.open',
    'email.whatever',
    'contact.subscribed',
    'contact.unsubscribed',
    'segment.pro.entry',
    'segment.pro.exit',
  ].map(reserved),
  {
    when: 'the address is invalid',
    status: 422,
    issue: 'invalid_string',
    change: withBody({ email: 'ada' }),
  },
  { when: 'data is not an object', status: 422, issue: 'invalid_type', change: withBody({ data: 'pro' }) },
  {
    when: 'the body is larger than 1 MB',
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    change: withBody({ data: { plan: 'x'.repeat(1024 * 1024) } }),
  },
];

const file = { filename: 'a.txt', content: 'YQ==', contentType: 'text/plain' };
const invalid = (when: string, changes: Record<string, unknown>, issue?: string): Refusal => ({
  when,
  status: 422,
  code: 'VALIDATION_ERROR',
  ...(issue !== undefined && { issue }),
  change: withBody(changes),
});

export const sendingLines: readonly ContractLine[] = [
  {
    line: 'POST /v1/send',
    key: 'sk',
    success: 200,
    answer: [
      'success',
      'data.emails.0.contact.id',
      'data.emails.0.contact.email',
      'data.emails.0.email',
      'data.timestamp',
    ],
    valid: ({ from }) => ({
      headers: { 'Idempotency-Key': randomUUID() },
      body: {
        to: `${randomUUID()}@example.com`,
        from,
        subject: 'Hello',
        body: '<p>Hello</p>',
        data: { plan: 'pro' },
      },
    }),
    required: ['to', 'subject', 'body', 'from'],
    bodyIds: { template: (theirs) => theirs.template() },
    notWhileDisabled: true,
    refusals: [
      ...malformedKeys,
      invalid('the subject has a line break', { subject: 'a\r\nBcc: b@example.com' }, 'invalid_string'),
      invalid('the subject is longer than 998 characters', { subject: 's'.repeat(999) }, 'too_big'),
      invalid('the body is empty', { body: '' }, 'too_small'),
      invalid('the name of a header has a line break', { headers: { 'X-A\r\nBcc': 'b' } }, 'invalid_string'),
      invalid('a header has a line break', { headers: { 'X-A': 'a\r\nBcc: b' } }, 'invalid_string'),
      invalid('a header is longer than 998 characters', { headers: { 'X-A': 'a'.repeat(999) } }, 'too_big'),
      invalid('there are eleven attachments', { attachments: Array(11).fill(file) }, 'too_big'),
      invalid(
        'the name of a file has a quote',
        { attachments: [{ ...file, filename: 'a".txt' }] },
        'invalid_string',
      ),
      invalid('a file has no name', { attachments: [{ ...file, filename: undefined }] }, 'invalid_type'),
      invalid('a file is not base64', { attachments: [{ ...file, content: '%' }] }, 'invalid_string'),
      invalid(
        'an inline file has no contentId',
        { attachments: [{ ...file, disposition: 'inline' }] },
        'invalid_type',
      ),
      invalid('the template is no UUID', { template: 'welcome' }, 'invalid_string'),
      invalid('the body does not parse', { body: '{{ name' }),
      {
        when: 'the sender domain is not registered',
        status: 403,
        code: 'INTERNAL_SERVER_ERROR',
        change: withBody({ from: 'hello@elsewhere.example' }),
      },
    ],
  },
  {
    line: 'POST /v1/track',
    key: 'pk',
    success: 200,
    answer: tracked,
    valid: () => ({
      headers: { 'Idempotency-Key': randomUUID() },
      body: {
        email: `${randomUUID()}@example.com`,
        event: 'signed up',
        data: { plan: { value: 'pro', persistent: false } },
      },
    }),
    required: ['email', 'event'],
    notWhileDisabled: true,
    refusals: [...malformedKeys, ...trackRefusals],
  },
  {
    line: 'POST /events/track',
    key: 'sk',
    success: 200,
    answer: tracked,
    valid: () => ({
      headers: { 'Idempotency-Key': randomUUID() },
      body: { email: `${randomUUID()}@example.com`, event: 'signed up', subscribed: false },
    }),
    required: ['email', 'event'],
    notWhileDisabled: true,
    refusals: [...malformedKeys, ...trackRefusals],
  },
  {
    line: 'POST /v1/verify',
    key: 'sk',
    success: 200,
    answer: ['success', ...under('data', verifyFields)],
    valid: () => ({ body: { email: 'ada+news@example.com' } }),
    required: ['email'],
    refusals: [invalid('the address is none', { email: 'ada@' }, 'invalid_string')],
  },
  {
    line: 'GET /emails',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', emailFields), ...cursorFields, 'searchedBackTo'],
    valid: async (world) => {
      const contactId = (await world.call('GET', `/emails/${await world.email()}`)).contactId;
      return { query: `limit=1000&contactId=${contactId}&source=TRANSACTIONAL` };
    },
    refusals: [
      {
        when: 'the cursor is not one of ours',
        status: 400,
        code: 'BAD_REQUEST',
        change: withQuery('cursor=whatever'),
      },
      { when: 'the status is invalid', status: 422, change: withQuery('status=LOST') },
      { when: 'the source is invalid', status: 422, change: withQuery('source=ACCOUNT') },
      { when: 'the campaign id is malformed', status: 422, change: withQuery('campaignId=spring') },
      { when: 'a date is invalid', status: 422, change: withQuery('startDate=yesterday-ish') },
    ],
  },
  {
    line: 'GET /emails/export',
    key: 'sk',
    success: 200,
    type: 'text/csv; charset=utf-8',
    valid: () => ({ query: 'source=TRANSACTIONAL&status=SENT' }),
    refusals: [
      {
        when: 'the period is reversed',
        status: 400,
        code: 'BAD_REQUEST',
        change: withQuery('startDate=2026-02-01&endDate=2026-01-01'),
      },
      { when: 'the source is invalid', status: 422, change: withQuery('source=ACCOUNT') },
    ],
  },
  {
    line: 'GET /emails/:id',
    key: 'sk',
    success: 200,
    answer: [
      ...emailFields,
      'messageId',
      ...under('timeline.0', ['type', 'at', 'text', 'link']),
      'bodyAvailable',
      ...under('body', ['subject', 'html', 'text', 'headers', 'fromName', 'replyTo', 'attachments']),
      'temporalWorkflowId',
      'temporalUrl',
    ],
    valid: async (world) => ({ params: { id: await world.email() } }),
  },
];
