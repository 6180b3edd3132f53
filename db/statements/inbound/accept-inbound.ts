import { z } from 'zod';
import type { ReceivedHeader } from '../../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../../core/inbound/verdicts.ts';
import { newId } from '../../../core/new-id.ts';
import { commandsLeftChannel } from '../../database-listener.ts';
import { Domain } from '../../entities/domain.ts';
import { InboundEmail } from '../../entities/inbound-email.ts';
import { allProjects } from '../../entities/project-em.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn } from '../../sql.ts';
import { takeInbound } from '../billing/monthly-quota.ts';
import { isNotHandledBeforeSql } from '../emails/handled-before-sql.ts';

export interface ArrivedEmail {
  notificationId: string;
  publishedOn: string;
  providerId: string;
  /** Envelope sender; empty for emails that must not be answered, such as bounces. */
  source: string;
  recipients: string[];
  verdicts: Verdicts;
  headers: ReceivedHeader[];
  raw: Uint8Array | null;
  object: { bucket: string; key: string } | null;
  receivedAt: Date;
}

/**
 * `duplicate`: the notification or email was seen before. `unknown`: no project owns a recipient's domain.
 * `over_limit`: every project that owns one has reached its monthly limit.
 */
export type ArrivalOutcome = 'applied' | 'duplicate' | 'unknown' | 'over_limit';

async function findReceivers(em: Em, recipients: readonly string[]): Promise<Map<string, string[]>> {
  const names = recipients.map((address) => address.slice(address.lastIndexOf('@') + 1));
  const domains = await em.find(
    Domain,
    { domain: { $in: names }, status: 'verified' },
    { ...allProjects, orderBy: { projectId: 'asc' } },
  );
  const receivers = new Map<string, string[]>();
  for (const { projectId, domain } of domains) {
    const addresses = recipients.filter((address) => address.endsWith(`@${domain}`));
    receivers.set(projectId, [...(receivers.get(projectId) ?? []), ...addresses]);
  }
  return receivers;
}

/**
 * Stores an email for each project that owns a recipient's domain and is within its limit, and queues a command to
 * process it. Unique indexes drop repeated deliveries. SES announces an email once per receipt rule that applies, each
 * time with the recipients of that rule: those are added to the stored email.
 *
 * @param em in a transaction
 */
export async function acceptInbound(em: Em, email: ArrivedEmail): Promise<ArrivalOutcome> {
  const receivers = await findReceivers(em, email.recipients);
  if (receivers.size === 0) return 'unknown';
  const sql = `insert into handled_notifications (id, published_on)
     select $1::uuid, $2::date where ${isNotHandledBeforeSql('$1::uuid')}
     on conflict (id, published_on) do nothing`;
  const isFresh = await execute(em, sql, [email.notificationId, email.publishedOn]);
  if (!isFresh) return 'duplicate';
  const outcomes: ArrivalOutcome[] = [];
  for (const [projectId, recipients] of receivers)
    outcomes.push(await store(em, email, projectId, recipients));
  if (outcomes.includes('applied')) return 'applied';
  return outcomes.includes('over_limit') ? 'over_limit' : 'duplicate';
}

async function store(
  em: Em,
  email: ArrivedEmail,
  projectId: string,
  recipients: readonly string[],
): Promise<ArrivalOutcome> {
  const id = newId();
  const storeSql = `insert into inbound_emails (id, project_id, provider_id, recipients, verdicts, source, headers, raw, bucket,
       object_key, received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (project_id, provider_id) do update
     set recipients = inbound_emails.recipients
       || array(select r from unnest(excluded.recipients) r where r <> all(inbound_emails.recipients))
     where not inbound_emails.recipients @> excluded.recipients
     returning id`;
  const [stored] = await queryColumn(em, z.uuid(), storeSql, [
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
  ]);
  if (stored === undefined) return 'duplicate';
  if (stored !== id) return 'applied';
  // Counted after the insert, so that repeats are not counted.
  if (!(await takeInbound(em, projectId))) {
    await em.nativeDelete(InboundEmail, { id });
    return 'over_limit';
  }
  const commandSql = `insert into outbox (id, kind, subject_id, project_id) values (uuidv7(), 'inbound.receive', $1, $2)
     returning pg_notify('${commandsLeftChannel}', '')`;
  await execute(em, commandSql, [id, projectId]);
  return 'applied';
}
