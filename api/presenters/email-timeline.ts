import type { z } from 'zod';
import type { ProjectEmailSource } from '../../core/email-state.ts';
import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import type { EmailEvent } from '../../db/statements/emails/read-email.ts';
import type { emailDetailSchema } from '../schemas/emails.ts';

type Entry = z.output<typeof emailDetailSchema>['timeline'][number];
type EntryType = Entry['type'];

const acceptedTexts: Record<ProjectEmailSource, string> = {
  TRANSACTIONAL: 'Accepted from POST /v1/send',
  CAMPAIGN: 'Queued by the campaign',
  WORKFLOW: 'Queued by a step of the workflow',
  TEST: 'Queued as a test of a campaign',
};

const bounceTexts: Record<string, string> = {
  Permanent: 'Hard bounce: the address does not exist or its server refused the email',
  Transient: 'Soft bounce: the mailbox is full or its server is busy',
  Undetermined: 'Bounced, for a reason that its server did not give',
};

const eventTypes = {
  'email.delivery': 'delivered',
  'email.open': 'opened',
  'email.click': 'clicked',
  'email.bounce': 'bounced',
  'email.complaint': 'complained',
  'email.suppressed': 'suppressed',
  'email.unsubscribed': 'unsubscribed',
} as const satisfies Record<EmailEvent['name'], EntryType>;

const plainTexts = {
  delivered: 'Delivered to the server of the recipient',
  opened: 'Opened',
  clicked: 'Clicked',
  bounced: bounceTexts.Permanent ?? '',
  complained: 'The recipient marked it as spam',
  unsubscribed: 'The recipient unsubscribed through its link',
} as const;

function entry(
  type: EntryType,
  at: Date | null,
  text: string,
  { link = null, diagnostic = null }: Partial<Pick<Entry, 'link' | 'diagnostic'>> = {},
): Entry {
  return { type, at: at?.toISOString() ?? null, text, link, diagnostic };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

function presentEvent({ name, data, occurredAt }: EmailEvent): Entry {
  const [link, diagnostic] = [textOf(data.link), textOf(data.diagnostic)];
  return entry(eventTypes[name], occurredAt, describe(eventTypes[name], data), { link, diagnostic });
}

function describe(type: (typeof eventTypes)[EmailEvent['name']], data: EmailEvent['data']): string {
  switch (type) {
    case 'clicked':
      return typeof data.link === 'string' ? `Clicked ${data.link}` : plainTexts.clicked;
    case 'bounced':
      return bounceTexts[textOf(data.bounceType) ?? 'Permanent'] ?? 'Bounced';
    case 'suppressed':
      return because('Withheld', textOf(data.reason));
    default:
      return plainTexts[type];
  }
}

const because = (text: string, reason: string | null) => (reason === null ? text : `${text}: ${reason}`);

/** Entries derived from the state when there is no event: the email was never sent, or its contact was erased. */
function fromState(email: LoggedEmail, known: ReadonlySet<EntryType>): Entry[] {
  // as: the keys of a literal.
  const kinds = Object.keys(plainTexts) as (keyof typeof plainTexts)[];
  return kinds
    .filter((kind) => email[`${kind}At`] !== null && !known.has(kind))
    .map((kind) => entry(kind, email[`${kind}At`], plainTexts[kind]));
}

/** The claim of an email with large attachments is prolonged by moving its time ahead. */
const beforeNow = (claimedAt: Date | null) =>
  claimedAt && new Date(Math.min(claimedAt.getTime(), Date.now()));

function fromStatus({ status, reason, claimedAt }: LoggedEmail, known: ReadonlySet<EntryType>): Entry[] {
  switch (status) {
    case 'QUEUED':
      return [entry('waiting', null, because('Waiting to be sent', reason))];
    case 'SENDING':
      return [entry('waiting', beforeNow(claimedAt), 'Being handed over')];
    case 'UNKNOWN':
      return [entry('unknown', claimedAt, because('Handed over, not confirmed yet', reason))];
    case 'FAILED':
      return [entry('failed', claimedAt, because('Not sent', reason))];
    case 'CANCELLED':
      return [entry('cancelled', null, because('Cancelled', reason))];
    case 'SUPPRESSED':
      return known.has('suppressed') ? [] : [entry('suppressed', claimedAt, because('Withheld', reason))];
    default:
      return [];
  }
}

export function presentTimeline(email: LoggedEmail, events: readonly EmailEvent[]): Entry[] {
  const happened = events.map(presentEvent);
  const known = new Set(happened.map(({ type }) => type));
  const sent = email.sentAt === null ? [] : [entry('sent', email.sentAt, 'Handed over to the provider')];
  const later = [...happened, ...fromState(email, known)].toSorted((one, other) =>
    (one.at ?? '').localeCompare(other.at ?? ''),
  );
  return [
    entry('accepted', email.createdAt, acceptedTexts[email.source]),
    ...sent,
    ...later,
    ...fromStatus(email, known),
  ];
}
