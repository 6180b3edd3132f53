import { firstLink } from '../events/first-link.ts';
import { planEvents } from '../events/plan-events.ts';
import { createMessageId, type MailStore } from '../mail/mail-store.ts';
import type { MessageContent } from '../mail/message-content.ts';
import type { MessageRecord } from '../mail/records.ts';
import { parseMailbox } from '../protocol/addresses.ts';
import { checkRecipients } from '../protocol/check-envelope.ts';
import type { SesDestination } from '../protocol/schemas.ts';
import { badRequest } from '../protocol/ses-error.ts';
import { hasEvents } from '../state/configuration-set.ts';
import type { Identities } from '../state/identities.ts';

export interface SendingContext {
  store: MailStore;
  identities: Identities;
  /** Without a webhook there are no events. */
  hasWebhook: boolean;
}

export interface CallSender extends Pick<MessageRecord, 'at' | 'from' | 'replyTo' | 'configurationSet'> {
  hasEvents: boolean;
}

/** @throws SesError when the sender is malformed or not verified, or the configuration set does not exist */
export function checkSender(
  call: {
    FromEmailAddress?: string | undefined;
    ReplyToAddresses: string[];
    ConfigurationSetName?: string | undefined;
  },
  { identities, hasWebhook }: SendingContext,
): CallSender {
  const { FromEmailAddress: from, ReplyToAddresses: replyTo } = call;
  if (from === undefined || from === '') throw badRequest('Missing FromEmailAddress.');
  const address = parseMailbox(from);
  for (const mailbox of replyTo) parseMailbox(mailbox);
  identities.requireVerified(address);
  const configurationSet = call.ConfigurationSetName ?? null;
  const isPublished = hasEvents(configurationSet) && hasWebhook;
  return { at: Date.now(), from, replyTo, configurationSet, hasEvents: isPublished };
}

/** @throws SesError BadRequestException for malformed recipients */
export function toMessage(
  { hasEvents: isPublished, ...sender }: CallSender,
  destination: SesDestination,
  { subject, html }: Pick<MessageContent, 'subject' | 'html'>,
  own: Pick<MessageRecord, 'headers' | 'tags' | 'entry'>,
): MessageRecord {
  const recipients = checkRecipients(destination);
  return {
    id: createMessageId(sender.at),
    ...sender,
    to: destination.ToAddresses,
    cc: destination.CcAddresses,
    bcc: destination.BccAddresses,
    recipients,
    subject,
    events: isPublished ? planEvents(recipients, () => firstLink(html)) : [],
    ...own,
  };
}
