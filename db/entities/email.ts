import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../../core/json-value.ts';
import { createdAt, instant, primaryId } from './columns.ts';

/**
 * `TEST`: shows a campaign to one address; it reaches whoever it is sent to and moves no counter. `ACCOUNT`: of the
 * service itself to a user, of no project.
 */
export type EmailSource = 'TRANSACTIONAL' | 'CAMPAIGN' | 'WORKFLOW' | 'TEST' | 'ACCOUNT';
export type ContentType = 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS';
export type EmailStatus =
  | 'QUEUED'
  | 'SENDING'
  | 'UNKNOWN'
  | 'SENT'
  | 'DELIVERED'
  | 'OPENED'
  | 'CLICKED'
  | 'BOUNCED'
  | 'COMPLAINED'
  | 'FAILED'
  | 'SUPPRESSED'
  | 'CANCELLED';

/** What was asked to be sent by one API call: shared by all of its recipients, dropped after the retention. */
export const EmailContent = defineEntity({
  name: 'EmailContent',
  tableName: 'email_contents',
  indexes: [
    { name: 'email_contents_created', properties: ['createdAt'] },
    { name: 'email_contents_project', properties: ['projectId', 'id'] },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Liquid sources. */
    subject: p.text(),
    body: p.text(),
    fromEmail: p.text(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    headers: p.json().$type<Record<string, string>>().defaultRaw(`'{}'`),
    /** Data of the request, stored or not; wins over the contact's data when rendering. */
    variables: p.json().$type<JsonObject>().defaultRaw(`'{}'`),
    createdAt: createdAt(),
  },
});

export type ContentRow = InferEntity<typeof EmailContent>;

/** A file sent along with a content. */
export const EmailAttachment = defineEntity({
  name: 'EmailAttachment',
  tableName: 'email_attachments',
  properties: {
    contentId: () =>
      p.manyToOne(EmailContent).mapToPk().fieldName('content_id').primary().deleteRule('cascade'),
    position: p.smallint().primary(),
    filename: p.text(),
    contentType: p.text(),
    /** Name for `cid:` references, of inline images. */
    cid: p.text().nullable(),
    disposition: p.text().$type<'attachment' | 'inline'>().check(`disposition in ('attachment', 'inline')`),
    bytes: p.blob(),
  },
});

export type AttachmentRow = InferEntity<typeof EmailAttachment>;

/** One email to one recipient, and what is known of it. */
export const Email = defineEntity({
  name: 'Email',
  tableName: 'emails',
  // No index on `status`: it would turn each of the four or five updates of an email into an index write.
  indexes: [
    { name: 'emails_contact', properties: ['contactId'] },
    { name: 'emails_project', properties: ['projectId', 'id'] },
    {
      name: 'emails_campaign_contact',
      expression:
        'create unique index emails_campaign_contact on emails (campaign_id, contact_id) where campaign_id is not null',
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Null once the contact was erased. */
    contactId: p.uuid().nullable(),
    contentId: p.uuid().nullable(),
    source: p.text().$type<EmailSource>(),
    type: p.text().$type<ContentType>().default('TRANSACTIONAL'),
    templateId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    workflowId: p.uuid().nullable(),
    toEmail: p.text(),
    toName: p.text().nullable(),
    fromEmail: p.text(),
    /** As rendered; null until the first hand-over. */
    subject: p.text().nullable(),
    status: p.text().$type<EmailStatus>().default('QUEUED'),
    /** Why it is FAILED or SUPPRESSED, or what the last try met. */
    reason: p.text().nullable(),
    /** The provider's id, without angle brackets. */
    messageId: p.text().nullable(),
    /** Hand-overs begun. */
    attempts: p.smallint().default(0),
    /** Names the activity run that holds the claim. */
    claimToken: p.uuid().nullable(),
    claimedAt: instant().nullable(),
    /** Whether the claim has begun its hand-over; null outside of a claim, and in claims that count as begun. */
    handOverBegun: p.boolean().nullable(),
    createdAt: createdAt(),
    sentAt: instant().nullable(),
    /** When the provider's own word that it took the email came in: its Send event. */
    confirmedAt: instant().nullable(),
    deliveredAt: instant().nullable(),
    openedAt: instant().nullable(),
    clickedAt: instant().nullable(),
    bouncedAt: instant().nullable(),
    complainedAt: instant().nullable(),
    unsubscribedAt: instant().nullable(),
    opens: p.integer().default(0),
    clicks: p.integer().default(0),
    /** That its events have. */
    hops: p.smallint().default(0),
  },
});

/** An email that the send rate keeps waiting. Unlogged. */
export const WaitingEmail = defineEntity({
  name: 'WaitingEmail',
  tableName: 'waiting_emails',
  properties: {
    projectId: p.uuid().primary(),
    emailId: p.uuid().primary(),
    /** When a batch last looked at it; it does at least every two minutes and a half. */
    seenAt: instant().defaultRaw('now()'),
  },
});

export type EmailRow = InferEntity<typeof Email>;
