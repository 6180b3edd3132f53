import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { UpsertContactInput } from '../../db/repositories/contacts/write-contacts.ts';
import type { AcceptInput } from '../../db/repositories/emails/accept-emails.ts';
import type { ProviderEventInput } from '../../db/repositories/emails/apply-provider-events.ts';
import type { HandOverRecord } from '../../db/repositories/emails/record-hand-overs.ts';
import type { TrackInput } from '../../db/repositories/events/track-events.ts';

/** A tracked event as the service would hand it on; what a test does not name is fresh or empty. */
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

/** An upsert of a contact; what a test does not name is fresh or empty. */
export function upsertInput(
  projectId: string,
  email: string,
  rest: Partial<Omit<UpsertContactInput, 'projectId' | 'email'>> = {},
): UpsertContactInput {
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

/** An accepted send call to these addresses; what a test does not name is fresh or empty. */
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

/** A provider event about an email, under a notification id of its own unless a test names one. */
export function providerEvent(
  emailId: string,
  kind: ProviderEventInput['kind'],
  rest: Partial<Omit<ProviderEventInput, 'emailId' | 'kind'>> = {},
): ProviderEventInput {
  return {
    notificationId: randomUUID(),
    emailId,
    kind,
    occurredAt: new Date(),
    messageId: null,
    subject: null,
    link: null,
    bounceType: kind === 'bounce' ? 'Permanent' : null,
    sentEventId: uuidv7(),
    eventId: uuidv7(),
    unsubscribeEventId: uuidv7(),
    ...rest,
  };
}

/** What became of a hand-over; what a test does not name is fresh or empty. */
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
