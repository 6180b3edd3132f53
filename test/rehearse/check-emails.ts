import { sql } from '../../db/testing/sql.ts';
import { storedMessages } from '../../local/ses/testing/stored-messages.ts';
import { compare, type Finding } from './findings.ts';
import { addressOf, type Ledger } from './ledger.ts';
import type { Stage } from './stage.ts';

/** Records every email that is ever UNKNOWN; the email's row no longer shows that once it is settled. */
export async function watchUnknown(stage: Stage): Promise<void> {
  for (const statement of [
    'create schema rehearsal',
    'create table rehearsal.unknown (email_id uuid primary key)',
    `create function rehearsal.note() returns trigger language plpgsql as $$
     begin insert into rehearsal.unknown values (new.id) on conflict do nothing; return null; end $$`,
    `create trigger rehearsal_unknown after update on emails for each row
     when (new.status = 'UNKNOWN' and old.status <> 'UNKNOWN') execute function rehearsal.note()`,
  ]) {
    await sql(stage.em(), statement);
  }
}

interface Sent {
  /** Number of copies at the local SES, by email. */
  copies: Map<string, number>;
  /** Number of events about them that the local SES has to deliver. */
  events: number;
}

function readSent({ ses }: Stage): Sent {
  const sent: Sent = { copies: new Map(), events: 0 };
  for (const { tags, recipients, events } of storedMessages(ses.directory)) {
    const id = tags.emailId ?? `${recipients} without an id`;
    sent.copies.set(id, (sent.copies.get(id) ?? 0) + 1);
    sent.events += events.length;
  }
  return sent;
}

interface EmailRow {
  id: string;
  address: string;
  isOfCampaign: boolean;
  wasUnknown: boolean;
}

type ByAddress = Map<string, EmailRow[]>;

async function readEmails(stage: Stage): Promise<ByAddress> {
  const rows = await sql<EmailRow>(
    stage.em(),
    `select e.id, e.to_email as address, e.campaign_id is not null as "isOfCampaign", u.email_id is not null as "wasUnknown"
     from emails e left join rehearsal.unknown u on u.email_id = e.id`,
  );
  return Map.groupBy(rows, ({ address }) => address);
}

const shownExamples = 5;

/** Expects one email per address. Two are allowed for an email that was UNKNOWN and belongs to no campaign. */
function checkAddresses(
  what: string,
  addresses: { accepted: string[]; inDoubt: string[] },
  emails: ByAddress,
  { copies }: Sent,
): Finding {
  const finding = { what, accepted: addresses.accepted.length, found: 0, missing: 0, twice: 0 };
  const more = { unknown: 0, unknownTwice: 0, inDoubt: addresses.inDoubt.length, examples: [] as string[] };
  const fault = (kind: 'missing' | 'twice', address: string) => {
    finding[kind] += 1;
    if (more.examples.length < shownExamples) more.examples.push(`${kind} ${address}`);
  };
  const check = (address: string, isAccepted: boolean) => {
    const rows = emails.get(address) ?? [];
    const left = rows.reduce((sum, { id }) => sum + (copies.get(id) ?? 0), 0);
    const wasUnknown = rows.some((row) => row.wasUnknown);
    if (wasUnknown) more.unknown += 1;
    if (isAccepted && left > 0) finding.found += 1;
    if (isAccepted && left === 0) fault('missing', address);
    const isExcused = wasUnknown && rows.length === 1 && left === 2 && !rows[0]?.isOfCampaign;
    if (isExcused) more.unknownTwice += 1;
    else if (rows.length > 1 || left > 1) fault('twice', address);
  };
  for (const address of addresses.accepted) check(address, true);
  for (const address of addresses.inDoubt) check(address, false);
  return { ...finding, ...more };
}

export async function checkEmails(stage: Stage, ledger: Ledger): Promise<Finding[]> {
  const [sent, emails] = [readSent(stage), await readEmails(stage)];
  const each = (numbers: Iterable<number>, address: (n: number) => string) => [...numbers].map(address);
  const { recipients } = ledger.campaign;
  const readers = Array.from({ length: recipients }, (_, n) => `reader-${n + 1}@example.com`);
  const known = new Set([...emails.values()].flatMap((rows) => rows.map(({ id }) => id)));
  const unexpected = [...sent.copies.keys()].filter((id) => !known.has(id));
  return [
    checkAddresses('emails of the campaign', { accepted: readers, inDoubt: [] }, emails, sent),
    checkAddresses(
      'emails of /v1/send',
      {
        accepted: each(ledger.emails.accepted, addressOf.email),
        inDoubt: each(ledger.emails.inDoubt, addressOf.email),
      },
      emails,
      sent,
    ),
    checkAddresses(
      'emails of executions',
      {
        accepted: each(ledger.signups.accepted, addressOf.signup),
        inDoubt: each(ledger.signups.inDoubt, addressOf.signup),
      },
      emails,
      sent,
    ),
    {
      what: 'messages at SES have an email',
      accepted: sent.copies.size,
      found: sent.copies.size - unexpected.length,
      missing: 0,
      twice: unexpected.length,
      examples: unexpected.slice(0, shownExamples),
    },
    ...(await checkProviderEvents(stage, emails, sent)),
  ];
}

async function checkProviderEvents(stage: Stage, emails: ByAddress, sent: Sent): Promise<Finding[]> {
  const [row] = await sql<{ applied: number; opens: number; openedOnce: number; bounced: number }>(
    stage.em(),
    `select (select count(*)::int from handled_notifications) as applied,
       (select coalesce(sum(opens), 0)::int from emails where to_email like 'opened+%') as opens,
       (select count(*)::int from emails where to_email like 'opened+%' and opened_at is not null) as "openedOnce",
       (select count(*)::int from emails e join contacts c on c.id = e.contact_id
        where to_email like 'bounce+%' and e.status = 'BOUNCED' and not c.subscribed) as bounced`,
  );
  const { applied = 0, opens = 0, openedOnce = 0, bounced = 0 } = row ?? {};
  const thatStartWith = (start: string) =>
    [...emails.values()].flat().filter(({ address }) => address.startsWith(start));
  const copiesOf = (rows: EmailRow[]) => rows.reduce((sum, { id }) => sum + (sent.copies.get(id) ?? 0), 0);
  const [toOpen, toBounce] = [thatStartWith('opened+'), thatStartWith('bounce+')];
  return [
    compare('provider events', sent.events, applied),
    compare('opened emails', toOpen.length, openedOnce),
    compare('opens counted', copiesOf(toOpen), opens),
    compare('bounces that unsubscribed', toBounce.length, bounced),
  ];
}
