import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import { dropInboundContents } from '../inbound/drop-inbound-contents.ts';
import { dropOrphanedMembers } from '../segments/drop-members.ts';
import { deleteOrphanedExecutions } from '../workflows/delete-orphaned-executions.ts';
import { uuidAtSql } from './uuid-at-sql.ts';

const batchRows = 5_000;

interface Expiry {
  table: string;
  key: string;
  where: string;
}

const expiries = {
  idempotencyKeys: { table: 'idempotency_keys', key: 'project_id, key', where: 'expires_at < now()' },
  rateLimitWindows: {
    table: 'rate_limit_windows',
    key: 'subject, window_start',
    where: `window_start < now() - interval '10 minutes'`,
  },
  // A bucket idle for longer than its burst is equivalent to none.
  throttles: { table: 'throttles', key: 'key', where: `next_free_at < now() - interval '10 minutes'` },
  // Left by emails that were deleted before they were claimed.
  waitingEmails: {
    table: 'waiting_emails',
    key: 'project_id, email_id',
    where: `email_id < ${uuidAtSql('172800')}`,
  },
  notifications: {
    table: 'provider_notifications',
    key: 'id',
    where: `received_at < now() - interval '30 days'`,
  },
  jobs: {
    table: 'jobs',
    key: 'id',
    where: `created_at < now() - interval '30 days' and state in ('completed', 'failed')`,
  },
  // Left by uploads whose process died before the job was created.
  uploadChunks: {
    table: 'job_chunks',
    key: 'job_id, position',
    where: `job_id < ${uuidAtSql('86400')} and not exists (select from jobs j where j.id = job_id)`,
  },
  // Stripe retries an event for less time than this.
  stripeEvents: { table: 'stripe_events', key: 'id', where: `received_at < now() - interval '30 days'` },
  accountTokens: { table: 'account_tokens', key: 'id', where: 'expires_at < now()' },
  sessions: { table: 'sessions', key: 'id', where: 'expires_at < now()' },
  signInAttempts: { table: 'sign_in_attempts', key: 'subject', where: 'ends_at < now()' },
  signInSources: {
    table: 'sign_in_sources',
    key: 'user_id, source',
    where: `seen_at < now() - interval '365 days'`,
  },
  invitationHours: {
    table: 'invitation_hours',
    key: 'subject, hour',
    where: `hour < now() - interval '1 hour'`,
  },
} as const satisfies Record<string, Expiry>;

export async function deleteExpired(em: Em, bodyRetentionDays: number): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const [name, expiry] of Object.entries(expiries)) deleted[name] = await deleteInBatches(em, expiry);
  const contents = {
    table: 'email_contents',
    key: 'id',
    where: 'created_at < now() - make_interval(days => $1)',
  };
  return {
    ...deleted,
    contents: await deleteInBatches(em, contents, [bodyRetentionDays]),
    inboundContents: await dropInboundContents(em, bodyRetentionDays),
    segmentsWithOrphans: await dropOrphanedMembers(em),
    workflowsWithOrphans: await deleteOrphanedExecutions(em),
  };
}

async function deleteInBatches(
  em: Em,
  { table, key, where }: Expiry,
  parameters: unknown[] = [],
): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await execute(
      em,
      `with expired as (select ${key} from ${table} where ${where} limit ${batchRows})
       delete from ${table} where (${key}) in (select ${key} from expired)`,
      parameters,
    );
    total += deleted;
    if (deleted < batchRows) return total;
  }
}
