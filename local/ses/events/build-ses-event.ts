import type { MessageRecord, PlannedEvent } from '../mail/records.ts';
import { writtenHeaders } from '../mail/written-headers.ts';
import { domainOf, parseMailbox } from '../protocol/addresses.ts';

const accountId = '000000000000';
const outgoingIp = '127.0.0.1';
const userAgent = 'Mozilla/5.0 (local inbox)';

/**
 * The event record that SES publishes (developer guide, "Event record contents"), the `Message` of the notification.
 * @param at milliseconds since the epoch
 * @param eventId unique and stable per event; becomes the `feedbackId` of bounces and complaints
 */
export function buildSesEvent(
  message: MessageRecord,
  event: PlannedEvent,
  at: number,
  eventId: string,
): object {
  const timestamp = new Date(at).toISOString();
  const base = { eventType: event.type, mail: toMail(message) };
  switch (event.type) {
    case 'Send':
      return { ...base, send: {} };
    case 'Delivery':
      return {
        ...base,
        delivery: {
          timestamp,
          processingTimeMillis: Math.max(0, at - message.at),
          recipients: event.recipients,
          smtpResponse: '250 2.0.0 OK',
          remoteMtaIp: outgoingIp,
          reportingMTA: 'local-ses.localhost',
        },
      };
    case 'Bounce':
      return {
        ...base,
        bounce: {
          feedbackId: eventId,
          bounceType: event.bounceType,
          bounceSubType: event.bounceSubType,
          bouncedRecipients: event.recipients.map((emailAddress) => ({
            emailAddress,
            action: 'failed',
            ...(event.bounceType === 'Permanent'
              ? { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }
              : { status: '4.2.2', diagnosticCode: 'smtp; 452 4.2.2 mailbox full' }),
          })),
          timestamp,
          reportingMTA: 'dns; local-ses.localhost',
        },
      };
    case 'Complaint':
      return {
        ...base,
        complaint: {
          feedbackId: eventId,
          complaintSubType: null,
          complainedRecipients: event.recipients.map((emailAddress) => ({ emailAddress })),
          timestamp,
          userAgent,
          complaintFeedbackType: 'abuse',
          arrivalDate: timestamp,
        },
      };
    case 'Open':
      return { ...base, open: { timestamp, userAgent, ipAddress: outgoingIp } };
    case 'Click':
      return {
        ...base,
        click: { timestamp, userAgent, ipAddress: outgoingIp, link: event.link, linkTags: null },
      };
  }
}

function toMail(message: MessageRecord): object {
  const timestamp = new Date(message.at).toISOString();
  const fromDomain = domainOf(parseMailbox(message.from));
  const tags: Record<string, string[]> = {
    'ses:operation': [message.entry === null ? 'SendEmail' : 'SendBulkEmail'],
    'ses:source-ip': [outgoingIp],
    'ses:from-domain': [fromDomain],
    'ses:caller-identity': ['local'],
  };
  if (message.configurationSet !== null) tags['ses:configuration-set'] = [message.configurationSet];
  for (const [name, value] of Object.entries(message.tags)) tags[name] = [value];
  return {
    timestamp,
    source: message.from,
    sourceArn: `arn:aws:ses:us-east-1:${accountId}:identity/${fromDomain}`,
    sendingAccountId: accountId,
    messageId: message.id,
    destination: message.recipients,
    headersTruncated: false,
    headers: writtenHeaders(message),
    commonHeaders: {
      from: [message.from],
      ...(message.replyTo.length > 0 && { replyTo: message.replyTo }),
      ...(message.to.length > 0 && { to: message.to }),
      ...(message.cc.length > 0 && { cc: message.cc }),
      messageId: message.id,
      subject: message.subject,
    },
    tags,
  };
}
