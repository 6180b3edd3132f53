import { z } from 'zod';
import { EventListener } from '../../entities/workflow-execution.ts';
import { firstEventIdSince } from '../../fragments/first-event-since.ts';
import type { Em } from '../../orm.ts';
import { execute, queryFirst } from '../../sql.ts';

export interface EventWait {
  projectId: string;
  workflowId: string;
  executionId: string;
  visit: number;
  contactId: string;
  eventName: string;
}

const awaitedRow = z.object({
  id: z.uuid(),
  name: z.string(),
  data: z.record(z.string(), z.unknown()),
  hops: z.int(),
});

const previousRow = z.object({ endedAt: z.date(), endedAfter: z.string().nullable() });

/**
 * Longest delay between an event and its acceptance for a later wait to find it: the provider reports events late. A
 * wait that has already begun accepts an event of any age.
 */
const longestDelayMs = 86_400_000;

/**
 * Makes an execution wait for an event of its contact, unless one was accepted after the previous step ended. Commit
 * order decides, because event times come from other clocks; the event that started the execution or ended that step
 * does not count.
 *
 * No event is missed: writers look for listeners while they hold the event's statistics row, and this looks for
 * events while it holds the same row, so one of the two sees the other. If both do, the step run decides.
 */
export async function beginWait(em: Em, wait: EventWait) {
  const { projectId, workflowId, executionId, visit, contactId, eventName } = wait;
  const key = [projectId, eventName, contactId];
  const listenSql = `insert into event_listeners (project_id, event_name, contact_id, id, workflow_id, execution_id, visit)
     values ($1, $2, $3, $4, $5, $4, $6)
     on conflict (project_id, event_name, contact_id, id) do update set visit = excluded.visit`;
  await execute(em, listenSql, [...key, executionId, workflowId, visit]);
  // Locks the row, or its key if it does not exist: no other transaction can insert it until this one ends.
  const lockSql = `insert into contact_event_stats as s (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     values ($1, $2, $3, 0, now(), now(), $3)
     on conflict (project_id, name, contact_id) do update set count = s.count where false`;
  await execute(em, lockSql, key);
  const removeSql =
    'delete from contact_event_stats where project_id = $1 and name = $2 and contact_id = $3 and count = 0';
  await execute(em, removeSql, key);
  const previousSql = `select coalesce(r.completed_at, x.started_at) as "endedAt",
       coalesce(r.ended_after, x.started_after)::text as "endedAfter"
     from workflow_executions x
     left join workflow_step_runs r on r.execution_id = x.id and r.visit = $2 - 1
     where x.id = $1`;
  const previous = await queryFirst(em, previousRow, previousSql, [executionId, visit]);
  if (previous === undefined) return undefined;
  // With values instead of a join, only the partitions of that time are planned.
  const since = new Date(previous.endedAt.getTime() - longestDelayMs);
  const sql = `select e.id, e.name, e.data, e.hops
     from events e
     where e.project_id = $1 and e.name = $2 and e.contact_id = $3 and e.kind <> 'activity'
       and e.occurred_at >= $4 and e.id >= $5 and not pg_visible_in_snapshot(e.xid, $6::pg_snapshot)
     order by e.xid, e.occurred_at, e.id
     limit 1`;
  const parameters = [...key, since, firstEventIdSince(since), previous.endedAfter];
  const event = await queryFirst(em, awaitedRow, sql, parameters);
  if (event !== undefined) await endWait(em, executionId);
  return event;
}

/**
 * Ends a wait that has timed out.
 *
 * @returns false when an event ended it first; the step run then has the event's data
 */
export async function endWait(em: Em, executionId: string): Promise<boolean> {
  return (await em.nativeDelete(EventListener, { executionId })) > 0;
}
