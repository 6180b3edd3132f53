import type { z } from 'zod';
import type { ReadInboundEmail } from '../../db/entities/inbound-email.ts';
import type { inboundSchema } from '../schemas/answers/inbound.ts';

export function presentInbound(email: ReadInboundEmail): z.output<typeof inboundSchema> {
  return {
    id: email.id,
    status: email.status,
    messageId: email.messageId ?? null,
    from: email.fromEmail ?? null,
    fromName: email.fromName ?? null,
    to: email.recipients,
    subject: email.subject ?? null,
    inReplyTo: email.inReplyTo ?? null,
    emailId: email.emailId ?? null,
    contactId: email.contactId ?? null,
    automatic: email.automatic ?? null,
    verdicts: email.verdicts,
    hasContent: email.hasContent,
    text: email.text ?? null,
    html: email.html ?? null,
    attachments: email.attachments,
    receivedAt: email.receivedAt.toISOString(),
  };
}
