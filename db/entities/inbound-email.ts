import { defineEntity, p } from '@mikro-orm/core';
import type { ReceivedAttachment } from '../../core/inbound/parse-email.ts';
import type { AutomaticReason, ReceivedHeader } from '../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../core/inbound/verdicts.ts';
import { createdAt, instant, primaryId } from './columns.ts';

/**
 * `PENDING`: accepted, not read yet. `REJECTED`: a virus or spam, kept without content. `UNREADABLE`: kept without
 * content, because it is no email, too large, or was not to be had.
 */
export type InboundStatus = 'PENDING' | 'KEPT' | 'REJECTED' | 'UNREADABLE';

/**
 * An email that came in, as one project has it. A table of its own: nothing that counts or judges what was sent sees
 * these.
 */
export const InboundEmail = defineEntity({
  name: 'InboundEmail',
  tableName: 'inbound_emails',
  indexes: [
    {
      name: 'inbound_emails_contact',
      expression:
        'create index inbound_emails_contact on inbound_emails (contact_id, received_at) where contact_id is not null',
    },
    {
      name: 'inbound_emails_content',
      expression: 'create index inbound_emails_content on inbound_emails (created_at) where has_content',
    },
    {
      name: 'inbound_emails_pending',
      expression: `create index inbound_emails_pending on inbound_emails (created_at) where status = 'PENDING'`,
    },
  ],
  uniques: [{ name: 'inbound_emails_provider', properties: ['projectId', 'providerId'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    /** The provider's id: an email comes once to each project, however often the provider tells of it. */
    providerId: p.text(),
    status: p
      .text()
      .$type<InboundStatus>()
      .default('PENDING')
      .check(`status in ('PENDING', 'KEPT', 'REJECTED', 'UNREADABLE')`),
    /** Addresses of the project that it came to. */
    recipients: p.type('text[]').$type<string[]>(),
    verdicts: p.json().$type<Verdicts>(),
    /** Of the envelope. Like `headers`, `raw`, `bucket` and `objectKey` gone once the email is read. */
    source: p.text().nullable(),
    /** As the provider told them. */
    headers: p.json().$type<ReceivedHeader[]>().nullable(),
    raw: p.blob().nullable(),
    bucket: p.text().nullable(),
    objectKey: p.text().nullable(),
    contactId: p.uuid().nullable(),
    /** The email of ours that it answers. */
    emailId: p.uuid().nullable(),
    fromEmail: p.text().nullable(),
    fromName: p.text().nullable(),
    subject: p.text().nullable(),
    messageId: p.text().nullable(),
    inReplyTo: p.text().nullable(),
    /** Why it starts nothing by itself. */
    automatic: p.text().$type<AutomaticReason>().nullable(),
    /** Until the retention takes it away. */
    hasContent: p.boolean().default(false),
    text: p.text().nullable(),
    html: p.text().nullable(),
    attachments: p.json().$type<ReceivedAttachment[]>().defaultRaw(`'[]'`),
    receivedAt: instant(),
    createdAt: createdAt(),
  },
});
