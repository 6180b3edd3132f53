import { firstLink } from '../events/first-link.ts';
import { planEvents } from '../events/plan-events.ts';
import { createMessageId, type MailStore } from '../mail/mail-store.ts';
import type { MessageContent } from '../mail/message-content.ts';
import type { MessageRecord } from '../mail/records.ts';
import { parseMailbox } from '../protocol/addresses.ts';
import { checkRecipients } from '../protocol/check-envelope.ts';
import type { SesDestination } from '../protocol/schemas.ts';
import { SesError } from '../protocol/ses-error.ts';
import { hasEvents } from '../state/configuration-set.ts';
import type { Identities } from '../state/identities.ts';

export interface SendingContext {
  store: MailStore;
  identities: Identities;
  /** Without a webhook there are no events. */
  hasWebhook: boolean;
}

export interface CallSender {
  at: number;
  from: string;
  replyTo: string[];
  configurationSet: string | null;
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
  if (from === undefined || from === '') {
    throw new SesError('BadRequestException', 'Missing FromEmailAddress.');
  }
  const address = parseMailbox(from);
  for (const mailbox of replyTo) parseMailbox(mailbox);
  identities.requireVerified(address);
  const configurationSet = call.ConfigurationSetName ?? null;
  const isPublished = hasEvents(configurationSet) && hasWebhook;
  return { at: Date.now(), from, replyTo, configurationSet, hasEvents: isPublished };
}

/** @throws SesError BadRequestException for malformed recipients */
export function toMessage(
  sender: CallSender,
  message: {
    destination: SesDestination | undefined;
    content: MessageContent;
    headers: [string, string][];
    tags: Record<string, string>;
    entry: number | null;
  },
): MessageRecord {
  const recipients = checkRecipients(message.destination);
  return {
    id: createMessageId(sender.at),
    at: sender.at,
    from: sender.from,
    replyTo: sender.replyTo,
    to: message.destination?.ToAddresses ?? [],
    cc: message.destination?.CcAddresses ?? [],
    bcc: message.destination?.BccAddresses ?? [],
    recipients,
    subject: message.content.subject,
    headers: message.headers,
    tags: message.tags,
    configurationSet: sender.configurationSet,
    events: sender.hasEvents ? planEvents(recipients, () => firstLink(message.content.html)) : [],
    entry: message.entry,
  };
}
