import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { ContactWrite } from '../../db/statements/contacts/merge-contact-writes.ts';
import type { AcceptInput } from '../../db/statements/emails/accept-emails.ts';
import type { ProviderEventInput } from '../../db/statements/emails/apply-provider-events.ts';
import type { HandOverRecord } from '../../db/statements/emails/hand-overs.ts';
import type { TrackInput } from '../../db/statements/events/track-events.ts';

/** Default values are unique or empty, as in all functions below. */
export function trackInput(
  projectId: string,
  email: string,
  rest: Partial<Omit<TrackInput, 'projectId' | 'email'>> = {},
): TrackInput {
  return {
    projectId,
    email,
    contactId: uuidv7(),
    subscribed: undefined,
    patch: {},
    eventId: uuidv7(),
    eventName: 'signed_up',
    eventData: {},
    flipId: uuidv7(),
    occurredAt: new Date(),
    ...rest,
  };
}

export function upsertInput(
  projectId: string,
  email: string,
  rest: Partial<Omit<ContactWrite, 'projectId' | 'email'>> = {},
): ContactWrite {
  return {
    projectId,
    email,
    contactId: uuidv7(),
    subscribed: undefined,
    patch: {},
    flipId: uuidv7(),
    occurredAt: new Date(),
    ...rest,
  };
}

export function acceptInput(
  projectId: string,
  addresses: string[],
  rest: Partial<Omit<AcceptInput, 'projectId' | 'recipients'>> = {},
): AcceptInput {
  return {
    projectId,
    contentId: uuidv7(),
    subject: 'Hello {{ name }}',
    body: '<p>Hello {{ name }}</p>',
    fromEmail: 'sender@example.com',
    fromName: null,
    replyTo: null,
    headers: {},
    templateId: null,
    type: 'TRANSACTIONAL',
    variables: {},
    subscribed: undefined,
    patch: {},
    recipients: addresses.map((email) => ({
      emailId: uuidv7(),
      email,
      name: null,
      contactId: uuidv7(),
      flipId: uuidv7(),
      outboxId: uuidv7(),
    })),
    attachments: [],
    occurredAt: new Date(),
    ...rest,
  };
}

/** With a new notification id, unless one is given. */
export function providerEvent(
  emailId: string,
  kind: ProviderEventInput['kind'],
  rest: Partial<Omit<ProviderEventInput, 'emailId' | 'kind'>> = {},
): ProviderEventInput {
  return {
    notificationId: randomUUID(),
    publishedOn: new Date().toISOString().slice(0, 10),
    taggedProjectId: '',
    emailId,
    kind,
    occurredAt: new Date(),
    messageId: null,
    subject: null,
    link: null,
    bounceType: kind === 'bounce' ? 'Permanent' : null,
    isListed: false,
    diagnostic: null,
    sentEventId: uuidv7(),
    eventId: uuidv7(),
    unsubscribeEventId: uuidv7(),
    ...rest,
  };
}

export function handOverRecord(
  emailId: string,
  rest: Partial<Omit<HandOverRecord, 'emailId'>> = {},
): HandOverRecord {
  return {
    emailId,
    status: 'SENT',
    messageId: null,
    reason: null,
    subject: null,
    eventId: uuidv7(),
    occurredAt: new Date(),
    ...rest,
  };
}
