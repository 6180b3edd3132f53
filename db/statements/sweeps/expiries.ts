import { z } from 'zod';
import { nilId } from '../../../core/nil-id.ts';
import { firstUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { dropMembers, listMemberOwners } from '../segments/drop-members.ts';
import { deleteExecutions } from '../workflows/delete-executions.ts';
import { type ColumnType, type Expire, expireOrphans, expireRows } from './expiry.ts';

/** A table with an index on the age: the walk reads only expired rows. */
function byAge(table: string, age: string, key: Record<string, ColumnType>, days = 0): Expire {
  const where = `${age} < now() - interval '${days} days'`;
  return expireRows({ table, walk: { [age]: 'timestamptz', ...key }, within: where, where });
}

/**
 * Rows left by an erasure of an older version that did not know the table, or by a round that ended after the erasure.
 */
function byProject(table: string, key: Record<string, ColumnType>): Expire {
  return expireRows({
    table,
    walk: key,
    where: 'not exists (select from projects p where p.id = project_id)',
  });
}

const transactionsPerSlice = 20;
/** Contents have up to 8 MB each and attachments besides, chunks of uploads 256 KB, rejected rows of an import a few MB. */
const largeRowsPerSlice = 100;

/** The emails of a campaign that is sending share one content, and may wait longer than it is kept otherwise. */
const isNotSendingSql = `id <> all(array(
  select content_id from campaigns where status = 'SENDING' and content_id is not null))`;

const fixed = {
  idempotencyKeys: byAge('idempotency_keys', 'expires_at', { project_id: 'uuid', key: 'text' }),
  rateLimitWindows: expireRows({
    table: 'rate_limit_windows',
    walk: { subject: 'text', window_start: 'timestamptz' },
    where: `window_start < now() - interval '10 minutes'`,
  }),
  // A bucket idle for longer than its burst is equivalent to no row.
  throttles: expireRows({
    table: 'throttles',
    walk: { key: 'text' },
    where: `next_free_at < now() - interval '10 minutes'`,
  }),
  // Rows of emails that were deleted before they were claimed.
  waitingEmails: expireRows({
    table: 'waiting_emails',
    walk: { project_id: 'uuid', email_id: 'uuid' },
    where: `email_id < ${firstUuidAtSql("now() - interval '2 days'")}`,
  }),
  notifications: byAge('provider_notifications', 'received_at', { id: 'uuid' }, 30),
  jobs: expireRows({
    table: 'jobs',
    walk: { created_at: 'timestamptz', id: 'uuid' },
    within: `created_at < now() - interval '30 days'`,
    where: `state in ('completed', 'failed')`,
    rowsPerSlice: largeRowsPerSlice,
  }),
  // Chunks of uploads whose process died before the job was created.
  uploadChunks: expireRows({
    table: 'job_chunks',
    walk: { job_id: 'uuid', position: 'smallint' },
    within: `job_id < ${firstUuidAtSql("now() - interval '1 day'")}`,
    where: 'not exists (select from jobs j where j.id = job_id)',
    rowsPerSlice: largeRowsPerSlice,
  }),
  // Stripe retries an event for less than 30 days.
  stripeEvents: byAge('stripe_events', 'received_at', { id: 'text' }, 30),
  accountTokens: byAge('account_tokens', 'expires_at', { id: 'uuid' }),
  sessions: byAge('sessions', 'expires_at', { id: 'uuid' }),
  signInAttempts: byAge('sign_in_attempts', 'ends_at', { subject: 'bytea' }),
  signInSources: byAge('sign_in_sources', 'seen_at', { user_id: 'uuid', source: 'bytea' }, 365),
  invitations: expireRows({ table: 'invitations', walk: { id: 'uuid' }, where: 'expires_at < now()' }),
  invitationHours: expireRows({
    table: 'invitation_hours',
    walk: { subject: 'text', hour: 'timestamptz' },
    where: `hour < now() - interval '1 hour'`,
  }),
  segmentInputs: byProject('segment_inputs', { project_id: 'uuid', input: 'text' }),
  segmentRounds: byProject('segment_rounds', { project_id: 'uuid' }),
  segmentsWithOrphans: expireOrphans(listMemberOwners, (em, { id, projectId }) =>
    dropMembers(em, projectId, id, transactionsPerSlice),
  ),
  workflowsWithOrphans: expireOrphans(listVersionOwners, (em, { id }) =>
    deleteExecutions(em, id, transactionsPerSlice),
  ),
};

/**
 * Everything that expires in Postgres, by the name shown in metrics and runs. Each works without the others.
 *
 * @param bodyRetentionDays for contents, except those of campaigns that are sending; senders, subjects and times stay
 */
export function createExpiries(bodyRetentionDays: number): Readonly<Record<string, Expire>> {
  const contents = {
    walk: { created_at: 'timestamptz', id: 'uuid' },
    where: 'created_at < now() - make_interval(days => $1)',
    parameters: [bodyRetentionDays],
    rowsPerSlice: largeRowsPerSlice,
  } as const;
  return {
    ...fixed,
    contents: expireRows({
      ...contents,
      table: 'message_contents',
      within: contents.where,
      where: `${contents.where} and ${isNotSendingSql}`,
    }),
    templateContents: expireRows({
      ...contents,
      table: 'template_contents',
      within: contents.where,
      // The last email that shares a content may be a day younger.
      where: 'created_at < now() - make_interval(days => $1 + 1)',
    }),
    inboundContents: expireRows({
      ...contents,
      table: 'inbound_emails',
      within: `has_content and ${contents.where}`,
      set: `text = null, html = null, attachments = '[]', has_content = false`,
    }),
  };
}

/** Workflows with versions, by id. Those of deleted workflows, whose versions are deleted last, are orphaned. */
export async function listVersionOwners(
  em: Em,
  after: string | null,
  limit: number,
): Promise<{ id: string; isOrphaned: boolean }[]> {
  const sql = `select v.workflow_id as id, w.id is null as "isOrphaned"
     from (select distinct workflow_id from workflow_versions
       where workflow_id > $1 order by workflow_id limit $2) v
     left join workflows w on w.id = v.workflow_id
     order by v.workflow_id`;
  return query(em, z.object({ id: z.uuid(), isOrphaned: z.boolean() }), sql, [after ?? nilId, limit]);
}
