import type { ReceivedHeader } from '../../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../../core/inbound/verdicts.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** An email that was accepted and is to be read. */
export interface PendingInbound {
  id: string;
  projectId: string;
  recipients: string[];
  verdicts: Verdicts;
  source: string;
  headers: ReceivedHeader[];
  raw: Buffer | null;
  bucket: string | null;
  objectKey: string | null;
  receivedAt: Date;
}

/** Undefined once it is read, or gone. */
export async function findPendingInbound(em: Em, id: string): Promise<PendingInbound | undefined> {
  const [row] = await sql<PendingInbound>(
    em,
    `select id, project_id as "projectId", recipients, verdicts, coalesce(source, '') as source,
       coalesce(headers, '[]') as headers, raw, bucket, object_key as "objectKey", received_at as "receivedAt"
     from inbound_emails where id = $1 and status = 'PENDING'`,
    [id],
  );
  return row;
}

/** In a transaction: whether the email is still to be read; nobody else reads it until the end of the transaction. */
export async function holdPendingInbound(em: Em, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select id from inbound_emails where id = $1 and status = 'PENDING' for no key update`,
    [id],
  );
  return rows.length > 0;
}

export interface SenderFacts {
  /** Null when the project does not know the sender. */
  contactId: string | null;
  /** Whether the sender's domain is one that somebody here sends from. */
  isDomainOfOurs: boolean;
  /** Emails of the sender in the last hour, counted up to `most`. */
  recent: number;
  isProjectDisabled: boolean;
}

/** What is known of a sender; undefined when the project is gone. */
export async function findSenderFacts(
  em: Em,
  projectId: string,
  sender: { email: string | null; domain: string | null },
  most: number,
): Promise<SenderFacts | undefined> {
  const [row] = await sql<SenderFacts>(
    em,
    `select c.id as "contactId", p.disabled as "isProjectDisabled",
       exists (select from domains where domain = $3 and status = 'verified') as "isDomainOfOurs",
       (select count(*)::int from (
         select from inbound_emails r
         where r.contact_id = c.id and r.received_at > now() - interval '1 hour'
         limit $4) r) as recent
     from projects p
     left join contacts c on c.project_id = p.id and c.email = $2
     where p.id = $1`,
    [projectId, sender.email, sender.domain, most],
  );
  return row;
}

/**
 * Which email to a contact the ids of a thread name.
 * @param providerIds the likeliest first
 */
export async function findAnsweredEmail(
  em: Em,
  contactId: string,
  providerIds: readonly string[],
): Promise<string | null> {
  if (providerIds.length === 0) return null;
  const [row] = await sql<{ id: string }>(
    em,
    `select id from emails where contact_id = $1 and message_id = any($2::text[])
     order by array_position($2::text[], message_id), id desc limit 1`,
    [contactId, providerIds],
  );
  return row?.id ?? null;
}

/** Rows looked at in one sweep. */
const mostStranded = 1_000;

/** Puts commands back for emails that have been waiting for an hour, should nothing take care of them any more. */
export async function requeueStrandedInbound(em: Em): Promise<number> {
  const rows = await sql(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'inbound.receive', i.id, i.project_id
     from (
       select id, project_id from inbound_emails
       where status = 'PENDING' and created_at < now() - interval '1 hour'
       order by created_at limit ${mostStranded}
     ) i
     where not exists (select from outbox o where o.subject_id = i.id)
     returning id`,
  );
  return rows.length;
}
