import { describe, expect, it } from 'vitest';
import { sesEventSchema } from './ses-event.ts';

// The shapes of the Amazon SES developer guide, "Examples of event data that Amazon SES publishes to Amazon SNS".
const mail = {
  timestamp: '2017-08-05T00:40:02.012Z',
  source: 'Sender Name <sender@example.com>',
  sourceArn: 'arn:aws:ses:us-east-1:123456789012:identity/sender@example.com',
  sendingAccountId: '123456789012',
  messageId: 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
  destination: ['recipient@example.com'],
  headersTruncated: false,
  headers: [{ name: 'From', value: 'Sender Name <sender@example.com>' }],
  commonHeaders: { from: ['Sender Name <sender@example.com>'], subject: 'Message sent from Amazon SES' },
  tags: {
    'ses:configuration-set': ['posthaste'],
    emailId: ['0190b2c0-0000-7000-8000-000000000000'],
  },
};
const at = '2017-08-05T00:41:02.669Z';
const parse = (event: object) => sesEventSchema.parse(JSON.parse(JSON.stringify(event)));

describe('events of SES', () => {
  it.each<[string, object, object]>([
    ['Send', { send: {} }, {}],
    [
      'Delivery',
      { delivery: { timestamp: at, processingTimeMillis: 546, recipients: ['r@example.com'] } },
      { delivery: { timestamp: at } },
    ],
    [
      'Bounce',
      {
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          bouncedRecipients: [
            {
              emailAddress: 'r@example.com',
              action: 'failed',
              status: '5.1.1',
              diagnosticCode: 'smtp; 550 5.1.1',
            },
          ],
          timestamp: at,
        },
      },
      {
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          bouncedRecipients: [{ status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1' }],
          timestamp: at,
        },
      },
    ],
    [
      'Complaint',
      { complaint: { complainedRecipients: [], timestamp: at, complaintFeedbackType: 'abuse' } },
      { complaint: { timestamp: at, complaintFeedbackType: 'abuse' } },
    ],
    [
      'Open',
      { open: { ipAddress: '192.0.2.1', timestamp: at, userAgent: 'Mozilla/5.0' } },
      { open: { timestamp: at } },
    ],
    [
      'Click',
      { click: { ipAddress: '192.0.2.1', link: 'https://example.com/x', linkTags: null, timestamp: at } },
      { click: { link: 'https://example.com/x', timestamp: at } },
    ],
    ['Reject', { reject: { reason: 'Bad content' } }, {}],
    ['Rendering Failure', { failure: { errorMessage: 'x', templateName: 'y' } }, {}],
    ['DeliveryDelay', { deliveryDelay: { delayType: 'TransientCommunicationFailure', timestamp: at } }, {}],
  ])('reads %s', (eventType, detail, expected) => {
    expect(parse({ eventType, mail, ...detail })).toEqual({
      eventType,
      mail: {
        timestamp: mail.timestamp,
        messageId: mail.messageId,
        tags: mail.tags,
        commonHeaders: { subject: 'Message sent from Amazon SES' },
      },
      ...expected,
    });
  });

  it('loses no event because of a long text', () => {
    const link = `https://example.com/${'x'.repeat(20_000)}`;
    const event = parse({
      eventType: 'Click',
      mail: { ...mail, commonHeaders: { subject: 's'.repeat(5_000) } },
      click: { timestamp: at, link },
    });
    expect(event.click?.link).toBe(link.slice(0, 8192));
    expect(event.mail.commonHeaders?.subject).toHaveLength(998);
  });

  it("truncates a server's reply, and loses no bounce because of it", () => {
    const bounceOf = (bouncedRecipients: unknown) =>
      parse({
        eventType: 'Bounce',
        mail,
        bounce: { bounceType: 'Permanent', timestamp: at, bounceSubType: 3, bouncedRecipients },
      }).bounce;
    const [long] = bounceOf([{ diagnosticCode: `${'x'.repeat(499)}😀` }])?.bouncedRecipients ?? [];
    expect(long?.diagnosticCode).toBe(`${'x'.repeat(499)}\ufffd`);
    const [hostile] =
      bounceOf([{ diagnosticCode: ' 550\0\r\n no \ud83d', status: {} }])?.bouncedRecipients ?? [];
    expect(hostile).toEqual({ diagnosticCode: '550  no \ufffd', status: null });
    for (const odd of ['x', null, [3]]) expect(bounceOf(odd)?.bounceType).toBe('Permanent');
  });

  it.each<[string, object]>([
    ['tags', { ...mail, tags: undefined }],
    ['common headers', { ...mail, commonHeaders: undefined }],
    ['a subject', { ...mail, commonHeaders: { subject: null } }],
    ['a message id', { ...mail, messageId: undefined }],
  ])('reads an event without %s', (_what, sparse) => {
    expect(parse({ eventType: 'Send', mail: sparse }).eventType).toBe('Send');
  });

  it.each<[string, object]>([
    ['no mail', { eventType: 'Send' }],
    ['the older name of the type', { notificationType: 'Bounce', mail }],
    ['an unknown bounce type', { eventType: 'Bounce', mail, bounce: { bounceType: 'Odd', timestamp: at } }],
    ['an invalid time', { eventType: 'Open', mail, open: { timestamp: 'now' } }],
    ['tags that are not lists', { eventType: 'Send', mail: { ...mail, tags: { emailId: 'x' } } }],
  ])('refuses %s', (_what, event) => {
    expect(sesEventSchema.safeParse(event).success).toBe(false);
  });
});
