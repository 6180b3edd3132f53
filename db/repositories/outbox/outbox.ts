import type { OutboxKind } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface DueCommand {
  id: string;
  kind: OutboxKind;
  subjectId: string;
  attempts: number;
  /** Whose it is; null for emails, which go in batches of all projects, and for what is gone. */
  projectId: string | null;
  /** Of a command about an execution; null also when the execution is gone. */
  execution: { projectId: string; workflowId: string; contactId: string } | null;
}

/** Locks up to `limit` due commands for this transaction, oldest first; what another relay holds is skipped. */
export function lockDueCommands(em: Em, limit: number): Promise<DueCommand[]> {
  return sql<DueCommand>(
    em,
    `select o.id, o.kind, o.subject_id as "subjectId", o.attempts,
       case o.kind
         when 'campaign.changed' then (select project_id from campaigns where id = o.subject_id)
         when 'contact.snooze' then (select project_id from contacts where id = o.subject_id)
         when 'contacts.import' then (select project_id from jobs where id = o.subject_id)
         when 'contacts.bulk' then (select project_id from jobs where id = o.subject_id)
         when 'domain.verify' then (select project_id from domains where id = o.subject_id)
         when 'events.delete' then (select project_id from event_deletions where id = o.subject_id)
         when 'project.erase' then (select project_id from project_erasures where id = o.subject_id)
         when 'billing.end' then o.subject_id
       end as "projectId",
       case when o.kind like 'execution.%' then (
         select json_build_object('projectId', x.project_id, 'workflowId', x.workflow_id,
           'contactId', coalesce(o.contact_id, x.contact_id))
         from workflow_executions x
         where x.id = o.subject_id and coalesce(o.contact_id, x.contact_id) is not null
       ) end as execution
     from outbox o
     -- Times are kept to the millisecond, and rounded: what is due now may seem to be due half of one later.
     where o.dead_at is null and o.next_attempt_at <= now() + interval '1 ms'
     order by o.next_attempt_at, o.id
     limit $1
     for update of o skip locked`,
    [limit],
  );
}

export async function deleteCommands(em: Em, ids: string[]): Promise<void> {
  if (ids.length > 0) await sql(em, 'delete from outbox where id = any($1::uuid[])', [ids]);
}

/**
 * Puts commands off after a failure that is their own: twice as long each time, up to ten minutes; after
 * `maxAttempts` they are dead and stay for the operator.
 */
export async function postponeCommands(
  em: Em,
  ids: string[],
  error: string,
  maxAttempts: number,
): Promise<void> {
  await sql(
    em,
    `update outbox
     set attempts = attempts + 1, last_error = left($2, 500),
       next_attempt_at = now() + make_interval(secs => least(600, power(2, attempts))),
       dead_at = case when attempts + 1 >= $3 then now() end
     where id = any($1::uuid[])`,
    [ids, error, maxAttempts],
  );
}

/** Puts commands off for something that is no fault of theirs, so that others go before them. */
export async function delayCommands(em: Em, ids: string[], seconds: number): Promise<void> {
  await sql(
    em,
    'update outbox set next_attempt_at = now() + make_interval(secs => $2) where id = any($1::uuid[])',
    [ids, seconds],
  );
}

export interface OutboxFigures {
  /** Commands that wait, dead ones not counted. */
  waiting: number;
  dead: number;
  /** Age of the oldest that waits. */
  oldestSeconds: number;
}

/** Figures for the metrics; both counts read a partial index that is small when all is well. */
export async function readOutboxFigures(em: Em): Promise<OutboxFigures> {
  const [row] = await sql<OutboxFigures>(
    em,
    `select count(*) filter (where dead_at is null)::int as waiting,
       count(*) filter (where dead_at is not null)::int as dead,
       coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8
         as "oldestSeconds"
     from outbox`,
  );
  return row ?? { waiting: 0, dead: 0, oldestSeconds: 0 };
}
