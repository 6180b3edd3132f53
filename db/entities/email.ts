import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ContentType } from '../../core/content-types.ts';
import type { EmailSource, EmailStatus } from '../../core/email-state.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { createdAt, instant, primaryId } from './columns.ts';

/**
 * The content of one API call or workflow step: shared by all recipients of the call, deleted after the retention
 * period.
 */
export const EmailContent = defineEntity({
  name: 'EmailContent',
  tableName: 'message_contents',
  indexes: [
    { name: 'message_contents_created', properties: ['createdAt'] },
    { name: 'message_contents_project', properties: ['projectId', 'id'] },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Holds the content of the email, from subject to replyTo; those columns are null then. */
    templateContentId: p.uuid().nullable(),
    subject: p.text().nullable(),
    body: p.text().nullable(),
    fromEmail: p.text().nullable(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    headers: p.json().$type<Record<string, string>>().defaultRaw(`'{}'`),
    /**
     * Request data, including data that is not persisted on the contact; overrides the contact's data when rendering.
     */
    variables: p.json().$type<JsonObject>().defaultRaw(`'{}'`),
    createdAt: createdAt(),
  },
});

/** Predicate of the index `emails_failed`: these columns change for few emails, and only once or twice. */
export const failedEmailSql = 'bounced_at is not null or complained_at is not null or reason is not null';

export const Email = defineEntity({
  name: 'Email',
  tableName: 'emails',
  uniques: [
    {
      name: 'emails_campaign_contact',
      properties: ['campaignId', 'contactId'],
      where: 'campaign_id is not null',
    },
  ],
  // No index on `status`: it would turn each of the four or five updates of an email into an index write.
  indexes: [
    { name: 'emails_contact', properties: ['contactId'] },
    { name: 'emails_log', properties: ['projectId', 'source', 'id'] },
    { name: 'emails_workflow', properties: ['workflowId', 'id'], where: 'workflow_id is not null' },
    { name: 'emails_failed', properties: ['projectId', 'id'], where: `${failedEmailSql}` },
    {
      name: 'emails_campaign_withheld',
      properties: ['campaignId', 'contactId'],
      where: 'campaign_id is not null and reason is not null',
    },
    {
      name: 'emails_campaign_adverse',
      properties: ['campaignId', 'contactId'],
      where:
        'campaign_id is not null and (bounced_at is not null or complained_at is not null or unsubscribed_at is not null)',
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    contactId: p.uuid().nullable(),
    contentId: p.uuid().nullable(),
    source: p.text().$type<EmailSource>(),
    type: p.text().$type<ContentType>().default('TRANSACTIONAL'),
    templateId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    workflowId: p.uuid().nullable(),
    toEmail: p.text(),
    toName: p.text().nullable(),
    /**
     * Whether a workflow sends it to someone other than the contact, so that its outcome says nothing about the
     * contact.
     */
    customRecipient: p.boolean().default(false),
    fromEmail: p.text(),
    /** As rendered; null until the first hand-over. */
    subject: p.text().nullable(),
    status: p.text().$type<EmailStatus>().default('QUEUED'),
    reason: p.text().nullable(),
    messageId: p.text().nullable(),
    attempts: p.smallint().default(0),
    claimToken: p.uuid().nullable(),
    /**
     * Beginning of the claim. While QUEUED: when the provider first deferred it since the last claim that did not end, null
     * if it did not.
     */
    claimedAt: instant().nullable(),
    /** While QUEUED: not to be claimed before, because the provider deferred it again and again. */
    retryAt: instant().nullable(),
    /**
     * Whether the hand-over under this claim has started. Null without a claim, and for claims that count as started.
     */
    handOverBegun: p.boolean().nullable(),
    createdAt: createdAt(),
    sentAt: instant().nullable(),
    confirmedAt: instant().nullable(),
    deliveredAt: instant().nullable(),
    openedAt: instant().nullable(),
    clickedAt: instant().nullable(),
    bouncedAt: instant().nullable(),
    complainedAt: instant().nullable(),
    unsubscribedAt: instant().nullable(),
    opens: p.integer().default(0),
    clicks: p.integer().default(0),
    hops: p.smallint().default(0),
  },
});

export type Email = InferEntity<typeof Email>;
