import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { type InboundStatus, inboundStatuses } from '../../core/inbound/inbound-status.ts';
import type { ReceivedAttachment } from '../../core/inbound/parse-email.ts';
import type { AutomaticReason, ReceivedHeader } from '../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../core/inbound/verdicts.ts';
import { createdAt, instant, primaryId } from './columns.ts';

/** A received email. Separate from `emails`, so that counts of sent emails exclude it. */
export const InboundEmail = defineEntity({
  name: 'InboundEmail',
  tableName: 'inbound_emails',
  indexes: [
    {
      name: 'inbound_emails_contact',
      properties: ['contactId', 'receivedAt'],
      where: 'contact_id is not null',
    },
    { name: 'inbound_emails_content', properties: ['createdAt'], where: 'has_content' },
    { name: 'inbound_emails_pending', properties: ['createdAt'], where: "status = 'PENDING'" },
  ],
  uniques: [{ name: 'inbound_emails_provider', properties: ['projectId', 'providerId'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** Unique per project, so an email is stored once however often the provider reports it. */
    providerId: p.text(),
    status: p.enum(inboundStatuses).default('PENDING'),
    recipients: p.type('text[]').$type<string[]>(),
    verdicts: p.json().$type<Verdicts>(),
    /** Envelope sender. Cleared once the email is parsed, like `headers`, `raw`, `bucket` and `objectKey`. */
    source: p.text().nullable(),
    headers: p.json().$type<ReceivedHeader[]>().nullable(),
    raw: p.blob().nullable(),
    bucket: p.text().nullable(),
    objectKey: p.text().nullable(),
    contactId: p.uuid().nullable(),
    emailId: p.uuid().nullable(),
    fromEmail: p.text().nullable(),
    fromName: p.text().nullable(),
    subject: p.text().nullable(),
    messageId: p.text().nullable(),
    inReplyTo: p.text().nullable(),
    automatic: p.text().$type<AutomaticReason>().nullable(),
    hasContent: p.boolean().default(false),
    text: p.text().nullable(),
    html: p.text().nullable(),
    attachments: p.json().$type<ReceivedAttachment[]>().defaultRaw(`'[]'`),
    receivedAt: instant(),
    createdAt: createdAt(),
  },
});

export type InboundEmail = InferEntity<typeof InboundEmail>;

export type ReadInboundEmail = InboundEmail & { status: Exclude<InboundStatus, 'PENDING'> };

export function isRead(email: InboundEmail): email is ReadInboundEmail {
  return email.status !== 'PENDING';
}
