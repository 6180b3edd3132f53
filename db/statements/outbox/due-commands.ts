import { z } from 'zod';
import type { Lane } from '../../../core/outbox-lanes.ts';
import { commandsLeftChannel, emailsLeft } from '../../database-listener.ts';
import { noProject, outboxKinds } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { execute, preparedQuery, query } from '../../sql.ts';

const laneSql: Readonly<Record<Lane, string>> = {
  emails: `o.dead_at is null and o.kind = 'email.dispatch'`,
  work: `o.dead_at is null and o.kind <> 'email.dispatch'`,
};

/** Times are rounded to milliseconds, so a command due now may appear to be due half a millisecond later. */
const isDueSql = `o.next_attempt_at <= now() + interval '1 ms'`;

const commandRow = z.object({
  id: z.uuid(),
  kind: z.enum(outboxKinds),
  subjectId: z.uuid(),
  projectId: z.uuid().nullable(),
  execution: z.object({ projectId: z.uuid(), workflowId: z.uuid(), contactId: z.uuid() }).nullable(),
});
export type DueCommand = z.output<typeof commandRow>;

const executionSql: Readonly<Record<Lane, string>> = {
  emails: 'null::json',
  work: `case when o.kind like 'execution.%' then (
         select json_build_object('projectId', x.project_id, 'workflowId', x.workflow_id,
           'contactId', coalesce(o.contact_id, x.contact_id))
         from workflow_executions x
         where x.id = o.subject_id and coalesce(o.contact_id, x.contact_id) is not null
       ) end`,
};

/**
 * Locks up to `share` due commands per project for this transaction, oldest first, skipping those locked by another
 * relay.
 */
export function lockDueCommands(
  em: Em,
  lane: Lane,
  projectIds: readonly string[],
  share: number,
): Promise<DueCommand[]> {
  const sql = `select o.id, o.kind, o.subject_id as "subjectId",
       nullif(o.project_id, '${noProject}') as "projectId",
       ${executionSql[lane]} as execution
     from unnest($1::uuid[]) project (id)
     cross join lateral (
       select * from outbox o
       where ${laneSql[lane]} and o.project_id = project.id and ${isDueSql}
       order by o.next_attempt_at, o.id
       limit $2
       for update skip locked
     ) o
     order by o.next_attempt_at, o.id`;
  return query(em, commandRow, sql, [projectIds, share]);
}

const turnRow = z.object({
  /** The zero UUID stands for commands without a project. */
  projectId: z.uuid(),
  isDue: z.boolean(),
});
/**
 * The next `limit` projects of a lane by id, and whether each has a due command. Skips from project to project in the
 * index, so the cost does not grow with their commands.
 *
 * @param after last project of the previous page; null starts from the beginning
 */
export function findProjectTurns(em: Em, lane: Lane, after: string | null, limit: number) {
  const nextSql = (condition: string) =>
    `select o.project_id from outbox o where ${laneSql[lane]} and ${condition} order by o.project_id limit 1`;
  const sql = `with recursive project (id) as (
       (${nextSql(after === null ? 'true' : 'o.project_id > $2')})
       union all
       select (${nextSql('o.project_id > p.id')}) from project p where p.id is not null
     )
     select p.id as "projectId", coalesce(due.is_due, false) as "isDue"
     from project p
     left join lateral (
       select true as is_due from outbox o
       where ${laneSql[lane]} and o.project_id = p.id and ${isDueSql}
       order by o.next_attempt_at limit 1
     ) due on true
     where p.id is not null
     limit $1`;
  const name = `find_project_turns_${lane}_${after === null ? 'first' : 'next'}`;
  return preparedQuery(em, name, turnRow, sql, after === null ? [limit] : [limit, after]);
}

/**
 * Notifies all workers that emails are waiting. Call it after the commit: Postgres serializes commits that notify.
 * Commits asynchronously, because a flush would delay the commits of emails; polling finds whatever a crash loses.
 */
export async function notifyWaitingEmails(em: Em): Promise<void> {
  const sql = `select set_config('synchronous_commit', 'off', true), pg_notify('${commandsLeftChannel}', '${emailsLeft}')`;
  await execute(em, sql);
}
