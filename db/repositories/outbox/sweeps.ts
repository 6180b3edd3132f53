import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { dropInboundContents } from '../inbound/inbound-emails.ts';
import { dropOrphanedMembers } from '../segments/drop-members.ts';
import { dropOrphanedExecutions } from '../workflows/cancel-executions.ts';

/** Rows deleted at a time, so that no transaction holds locks for long. */
const batchRows = 5_000;

async function deleteInBatches(
  em: Em,
  table: string,
  key: string,
  where: string,
  parameters: unknown[],
): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await sql(
      em,
      `with doomed as (select ${key} from ${table} where ${where} limit ${batchRows})
       delete from ${table} where (${key}) in (select ${key} from doomed) returning 1`,
      parameters,
    );
    total += rows.length;
    if (rows.length < batchRows) return total;
  }
}

/** Deletes what has outlived its use. @returns rows by table */
export async function deleteExpired(em: Em, bodyRetentionDays: number): Promise<Record<string, number>> {
  return {
    idempotencyKeys: await deleteInBatches(
      em,
      'idempotency_keys',
      'project_id, key',
      'expires_at < now()',
      [],
    ),
    rateLimitWindows: await deleteInBatches(
      em,
      'rate_limit_windows',
      'subject, window_start',
      `window_start < now() - interval '10 minutes'`,
      [],
    ),
    // One that has been idle for longer than it saves is as good as none.
    throttles: await deleteInBatches(
      em,
      'throttles',
      'key',
      `next_free_at < now() - interval '10 minutes'`,
      [],
    ),
    // Of emails that were deleted before they were claimed.
    waitingEmails: await deleteInBatches(
      em,
      'waiting_emails',
      'project_id, email_id',
      `email_id < ${idAt('172800')}`,
      [],
    ),
    notifications: await deleteInBatches(
      em,
      'provider_notifications',
      'id',
      `received_at < now() - interval '30 days'`,
      [],
    ),
    contents: await deleteInBatches(
      em,
      'email_contents',
      'id',
      'created_at < now() - make_interval(days => $1)',
      [bodyRetentionDays],
    ),
    inboundContents: await dropInboundContents(em, bodyRetentionDays),
    jobs: await deleteInBatches(
      em,
      'jobs',
      'id',
      `created_at < now() - interval '30 days' and state in ('completed', 'failed')`,
      [],
    ),
    // Of uploads that broke off in a process that died, and so never became a job.
    uploadChunks: await deleteInBatches(
      em,
      'job_chunks',
      'job_id, position',
      `job_id < ${idAt('86400')} and not exists (select from jobs j where j.id = job_id)`,
      [],
    ),
    // Longer than Stripe repeats one.
    stripeEvents: await deleteInBatches(
      em,
      'stripe_events',
      'id',
      `received_at < now() - interval '30 days'`,
      [],
    ),
    accountTokens: await deleteInBatches(em, 'account_tokens', 'id', 'expires_at < now()', []),
    signInAttempts: await deleteInBatches(em, 'sign_in_attempts', 'subject', 'ends_at < now()', []),
    signInSources: await deleteInBatches(
      em,
      'sign_in_sources',
      'user_id, source',
      `seen_at < now() - interval '365 days'`,
      [],
    ),
    invitationHours: await deleteInBatches(
      em,
      'invitation_hours',
      'subject, hour',
      `hour < now() - interval '1 hour'`,
      [],
    ),
    segmentsWithOrphans: await dropOrphanedMembers(em),
    workflowsWithOrphans: await dropOrphanedExecutions(em),
  };
}

/** Lowest and highest UUIDv7 that can stand for an instant; ids are compared instead of an index on a time. */
const idAt = (secondsAgo: string) =>
  `(lpad(to_hex((extract(epoch from now() - make_interval(secs => ${secondsAgo})) * 1000)::bigint), 12, '0')
    || '00000000000000000000')::uuid`;

/**
 * Emails, but those of campaigns, that were accepted between `fromSeconds` and `toSeconds` ago, are still not out, and
 * have no command that would see to them: a batch workflow that was terminated by hand leaves such. Each gets a
 * new command. An email that a live batch waits with for anything but the send rate gets one too, which does no harm.
 */
export async function requeueStrandedEmails(em: Em, fromSeconds: number, toSeconds: number): Promise<number> {
  const rows = await sql(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'email.dispatch', e.id, e.project_id
     from emails e
     where e.id between ${idAt('$1')} and ${idAt('$2')}
       and e.source <> 'CAMPAIGN'
       and (e.status in ('QUEUED', 'SENDING') or (e.status = 'UNKNOWN' and e.attempts < 2))
       and not exists (select from outbox o where o.subject_id = e.id)
       and not exists (
         select from waiting_emails w
         where w.project_id = e.project_id and w.email_id = e.id and w.seen_at > now() - interval '5 minutes'
       )
     returning 1`,
    [fromSeconds, toSeconds],
  );
  return rows.length;
}
