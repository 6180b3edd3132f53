import type { ReceivedHeader } from '../../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../../core/inbound/verdicts.ts';
import { newId } from '../../../core/new-id.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { takeInbound } from '../billing/limits.ts';

/** An email as the provider tells of it. */
export interface ArrivedEmail {
  /** Id of the notification: the same one is applied once. */
  notificationId: string;
  /** The provider's id of the email. */
  providerId: string;
  /** Sender of the envelope; empty for what is not to be answered. */
  source: string;
  /** Normalised addresses that it was delivered to. */
  recipients: string[];
  verdicts: Verdicts;
  headers: ReceivedHeader[];
  /** Where the email itself is: here, in a bucket, or nowhere. */
  raw: Uint8Array | null;
  object: { bucket: string; key: string } | null;
  receivedAt: Date;
}

/**
 * `duplicate`: the notification or its email came before. `unknown`: no project has a domain that it was sent to.
 * `over_limit`: each project that has one receives no more emails in this month.
 */
export type ArrivalOutcome = 'applied' | 'duplicate' | 'unknown' | 'over_limit';

/** Emails for the projects that hold one of the domains, by project so that two arrivals never wait for each other. */
async function findReceivers(em: Em, recipients: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await sql<{ projectId: string; domain: string }>(
    em,
    `select project_id as "projectId", domain from domains
     where domain = any($1::text[]) and status = 'verified' order by project_id`,
    [recipients.map((address) => address.slice(address.lastIndexOf('@') + 1))],
  );
  const receivers = new Map<string, string[]>();
  for (const { projectId, domain } of rows) {
    const addresses = recipients.filter((address) => address.endsWith(`@${domain}`));
    receivers.set(projectId, [...(receivers.get(projectId) ?? []), ...addresses]);
  }
  return receivers;
}

/**
 * Keeps an email for each project that holds a domain of its recipients, with a command to read it. An email beyond
 * the limit of a project is not kept for it.
 *
 * @param em in a transaction
 */
export async function acceptInbound(em: Em, email: ArrivedEmail): Promise<ArrivalOutcome> {
  const receivers = await findReceivers(em, email.recipients);
  if (receivers.size === 0) return 'unknown';
  const fresh = await sql(
    em,
    'insert into provider_notifications (id) values ($1) on conflict (id) do nothing returning id',
    [email.notificationId],
  );
  if (fresh.length === 0) return 'duplicate';
  const outcomes: ArrivalOutcome[] = [];
  for (const [projectId, recipients] of receivers)
    outcomes.push(await keep(em, email, projectId, recipients));
  if (outcomes.includes('applied')) return 'applied';
  return outcomes.includes('over_limit') ? 'over_limit' : 'duplicate';
}

async function keep(
  em: Em,
  email: ArrivedEmail,
  projectId: string,
  recipients: readonly string[],
): Promise<ArrivalOutcome> {
  const id = newId();
  const kept = await sql(
    em,
    `insert into inbound_emails (id, project_id, provider_id, recipients, verdicts, source, headers, raw, bucket,
       object_key, received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (project_id, provider_id) do nothing
     returning id`,
    [
      id,
      projectId,
      email.providerId,
      recipients,
      JSON.stringify(email.verdicts),
      email.source,
      JSON.stringify(email.headers),
      email.raw === null ? null : Buffer.from(email.raw),
      email.object?.bucket ?? null,
      email.object?.key ?? null,
      email.receivedAt,
    ],
  );
  if (kept.length === 0) return 'duplicate';
  // After the row, so that a repeat is not counted.
  if (!(await takeInbound(em, projectId))) {
    await sql(em, 'delete from inbound_emails where id = $1', [id]);
    return 'over_limit';
  }
  await sql(
    em,
    `insert into outbox (id, kind, subject_id, project_id) values (uuidv7(), 'inbound.receive', $1, $2)
     returning pg_notify('commands_left', '')`,
    [id, projectId],
  );
  return 'applied';
}
