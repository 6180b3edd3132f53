import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { quantity } from '../../ui/numbers.ts';

const text = z.string().optional().catch(undefined);
const metadataSchema = z.object({
  name: text,
  subject: text,
  link: text,
  reason: text,
  bounceType: text,
  campaignName: text,
  workflowName: text,
  exitReason: text,
  snoozedUntil: text,
  totalRecipients: z.number().optional().catch(undefined),
});

type Metadata = z.output<typeof metadataSchema>;

export interface Sentence {
  /** Shown before the text and linked to the contact; null without a contact. */
  who: string | null;
  words: string;
  /** Shown in quotes after the text. */
  what: string | null;
  /** Secondary text: a reason, a link. */
  note: string | null;
}

type Told = Pick<Sentence, 'words'> & Partial<Sentence>;

const anEmail = (subject: string | undefined, words: string): Told =>
  subject === undefined ? { words: `${words} an email` } : { words, what: subject };

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** Why a subscription changed. */
export const reasonWords: Readonly<Record<string, string>> = {
  bounce: 'because an email bounced',
  complaint: 'because of a complaint',
  snooze: 'for the time of a snooze',
  snooze_expired: 'at the end of a snooze',
};

const bounces: Record<string, (metadata: Metadata) => Told> = {
  Transient: ({ subject }) => anEmail(subject, 'could not receive for now'),
  Undetermined: ({ subject }) => anEmail(subject, 'could not receive'),
  Suppressed: ({ subject, reason }) => ({
    ...anEmail(subject, 'was not sent'),
    note: reason === undefined ? 'Withheld' : `Withheld: ${reason}`,
  }),
};

const told: Record<string, (metadata: Metadata) => Told> = {
  'email.sent': ({ subject }) => anEmail(subject, 'was sent'),
  'email.delivered': ({ subject }) => anEmail(subject, 'received'),
  'email.opened': ({ subject }) => anEmail(subject, 'opened'),
  'email.clicked': ({ subject, link }) => ({
    ...anEmail(subject, 'clicked a link in'),
    note: link ?? null,
  }),
  'email.bounced': (metadata) =>
    bounces[metadata.bounceType ?? '']?.(metadata) ?? {
      ...anEmail(metadata.subject, 'could not receive'),
      note: 'The address does not work: it hard-bounced',
    },
  'email.complained': ({ subject }) => anEmail(subject, 'reported as spam'),
  'email.received': ({ subject }) => anEmail(subject, 'wrote'),
  'event.tracked': ({ name }) => ({ words: 'did', what: name ?? '' }),
  'contact.subscribed': ({ reason }) => ({
    words: reason === 'snooze_expired' ? 'gets emails again after a snooze' : 'subscribed',
  }),
  'contact.unsubscribed': ({ reason }) => ({
    words: 'unsubscribed',
    note: reasonWords[reason ?? ''] ?? null,
  }),
  'contact.snoozed': ({ snoozedUntil }) => ({
    words: snoozedUntil === undefined ? 'snoozed' : `snoozed until ${day.format(new Date(snoozedUntil))}`,
  }),
  'campaign.scheduled': ({ campaignName }) => ({ words: 'Campaign scheduled:', what: campaignName ?? '' }),
  'campaign.sent': ({ campaignName, totalRecipients }) => ({
    words: 'Campaign sent:',
    what: campaignName ?? '',
    note: totalRecipients === undefined ? null : quantity(totalRecipients, 'recipient'),
  }),
  'workflow.started': ({ workflowName }) => ({ words: 'entered', what: workflowName ?? 'a workflow' }),
  'workflow.completed': ({ workflowName, exitReason }) => ({
    words: 'finished',
    what: workflowName ?? 'a workflow',
    note: exitReason ?? null,
  }),
};

/** "ada@example.com opened “November news”" */
export function describeActivity({ type, contactId, contactEmail, metadata }: Schema<'Activity'>): Sentence {
  const known = metadataSchema.parse(metadata);
  const isOfContact = contactId !== null || contactEmail !== null;
  return {
    who: isOfContact ? (contactEmail ?? 'A deleted contact') : null,
    what: null,
    note: null,
    ...(told[type]?.(known) ?? { words: type }),
  };
}
