import { noProject, type OutboxKind } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface DueCommand {
  id: string;
  kind: OutboxKind;
  subjectId: string;
  attempts: number;
  /** Whose it is; null for what is of no project. */
  projectId: string | null;
  /** Of a command about an execution; null also when the execution is gone. */
  execution: { projectId: string; workflowId: string; contactId: string } | null;
}

/**
 * Ways to Temporal on which nothing waits for the other: the hand-over of single emails, and everything else.
 */
export const lanes = ['emails', 'work'] as const;
export type Lane = (typeof lanes)[number];

/** As the partial index of the lane says it. */
const laneSql: Record<Lane, string> = {
  emails: `o.dead_at is null and o.kind = 'email.dispatch'`,
  work: `o.dead_at is null and o.kind <> 'email.dispatch'`,
};

/** Times are kept to the millisecond, and rounded: what is due now may seem to be due half of one later. */
const isDueSql = `o.next_attempt_at <= now() + interval '1 ms'`;

export interface ProjectTurn {
  /** The zero UUID stands for commands of no project. */
  projectId: string;
  isDue: boolean;
}

/**
 * The next `limit` projects of a lane in the order of their ids, with whether any command of each is due. Steps from
 * project to project, so it costs the same however many commands they have.
 *
 * @param after the last project of the answer before; null to begin with the first
 */
export function findProjectTurns(
  em: Em,
  lane: Lane,
  after: string | null,
  limit: number,
): Promise<ProjectTurn[]> {
  const nextSql = (condition: string) =>
    `select o.project_id from outbox o where ${laneSql[lane]} and ${condition} order by o.project_id limit 1`;
  return sql<ProjectTurn>(
    em,
    `with recursive project (id) as (
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
     limit $1`,
    after === null ? [limit] : [limit, after],
  );
}

/**
 * Locks up to `share` due commands of each project for this transaction, oldest first; what another relay holds is
 * passed over.
 */
export function lockDueCommands(
  em: Em,
  lane: Lane,
  projectIds: readonly string[],
  share: number,
): Promise<DueCommand[]> {
  return sql<DueCommand>(
    em,
    `select o.id, o.kind, o.subject_id as "subjectId", o.attempts,
       nullif(o.project_id, '${noProject}') as "projectId",
       case when o.kind like 'execution.%' then (
         select json_build_object('projectId', x.project_id, 'workflowId', x.workflow_id,
           'contactId', coalesce(o.contact_id, x.contact_id))
         from workflow_executions x
         where x.id = o.subject_id and coalesce(o.contact_id, x.contact_id) is not null
       ) end as execution
     from unnest($1::uuid[]) project (id)
     cross join lateral (
       select * from outbox o
       where ${laneSql[lane]} and o.project_id = project.id and ${isDueSql}
       order by o.next_attempt_at, o.id
       limit $2
       for update skip locked
     ) o
     order by o.next_attempt_at, o.id`,
    [projectIds, share],
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
  lane: Lane;
  /** Commands that wait, dead ones not counted. */
  waiting: number;
  dead: number;
  /** Age of the oldest that waits. */
  oldestSeconds: number;
}

/** Figures of each lane for the metrics. */
export async function readOutboxFigures(em: Em): Promise<OutboxFigures[]> {
  const rows = await sql<OutboxFigures>(
    em,
    `select case when kind = 'email.dispatch' then 'emails' else 'work' end as lane,
       count(*) filter (where dead_at is null)::int as waiting,
       count(*) filter (where dead_at is not null)::int as dead,
       coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8
         as "oldestSeconds"
     from outbox group by 1`,
  );
  return lanes.map(
    (lane) => rows.find((row) => row.lane === lane) ?? { lane, waiting: 0, dead: 0, oldestSeconds: 0 },
  );
}
