import type { JsonObject } from '../json-value.ts';
import type { EmailContent } from './parse-email.ts';
import type { AutomaticReason, ReceivedHeaders } from './received-headers.ts';
import type { Verdicts } from './verdicts.ts';

export interface ReceivedFacts {
  id: string;
  recipients: readonly string[];
  verdicts: Verdicts;
  headers: ReceivedHeaders;
  emailId: string | null;
  automatic: AutomaticReason | null;
  content: EmailContent | null;
}

/**
 * Data of `email.received`, some kilobytes at most. `inboundId` is the received email, for `GET
 * /inbound/:id`; `emailId` is the email it answers, or the received email itself if it answers none of ours.
 */
export function receivedEventData(facts: ReceivedFacts): JsonObject {
  const { headers, verdicts, recipients } = facts;
  return {
    emailId: facts.emailId ?? facts.id,
    inboundId: facts.id,
    isReply: facts.emailId !== null,
    messageId: headers.messageId,
    from: headers.from,
    fromName: headers.fromName,
    to: recipients[0] ?? null,
    recipients: [...recipients],
    subject: headers.subject,
    inReplyTo: headers.inReplyTo,
    hasContent: facts.content !== null,
    attachmentCount: facts.content?.attachments.length ?? 0,
    automatic: facts.automatic,
    spfVerdict: verdicts.spf,
    dkimVerdict: verdicts.dkim,
    dmarcVerdict: verdicts.dmarc,
    spamVerdict: verdicts.spam,
    virusVerdict: verdicts.virus,
    sourceType: 'INBOUND',
  };
}
