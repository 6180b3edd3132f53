import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface EventWait {
  projectId: string;
  workflowId: string;
  executionId: string;
  visit: number;
  contactId: string;
  eventName: string;
}

/** The event that ends a wait. */
export interface AwaitedEvent {
  id: string;
  name: string;
  data: Record<string, unknown>;
  hops: number;
}

/**
 * How far an event may lie back when it is accepted, to be found after that by who begins to wait: the provider tells of
 * its events late. A listener hears of any.
 */
const longestDelay = '1 day';

/**
 * Has an execution wait for an event of its contact, and looks for one that was accepted since the step before ended,
 * by commit: the times of events are by clocks elsewhere. Neither what has started the execution nor what has ended
 * that step is one. Statements that write such an event look for listeners while they
 * hold its row of the statistics, and so does this for the events: one of the two sees the other, and if both do, the
 * step run decides.
 */
export async function beginWait(em: Em, wait: EventWait): Promise<AwaitedEvent | undefined> {
  const { projectId, workflowId, executionId, visit, contactId, eventName } = wait;
  const parameters = [projectId, eventName, contactId];
  await sql(
    em,
    `insert into event_listeners (project_id, event_name, contact_id, id, workflow_id, execution_id, visit)
     values ($1, $2, $3, $4, $5, $4, $6)
     on conflict (project_id, event_name, contact_id, id) do update set visit = excluded.visit`,
    [...parameters, executionId, workflowId, visit],
  );
  // Locks the row, and when there is none, its key: nobody else can insert it before the end of this transaction.
  await sql(
    em,
    `insert into contact_event_stats as s (project_id, name, contact_id, count, first_at, last_at, last_event_id)
     values ($1, $2, $3, 0, now(), now(), $3)
     on conflict (project_id, name, contact_id) do update set count = s.count where false`,
    parameters,
  );
  await sql(
    em,
    'delete from contact_event_stats where project_id = $1 and name = $2 and contact_id = $3 and count = 0',
    parameters,
  );
  const [event] = await sql<AwaitedEvent>(
    em,
    `select e.id, e.name, e.data, e.hops
     from workflow_executions x
     left join workflow_step_runs r on r.execution_id = x.id and r.visit = $5 - 1
     join events e on e.project_id = $1 and e.name = $2 and e.contact_id = $3 and e.kind <> 'activity'
       and e.occurred_at >= coalesce(r.completed_at, x.started_at) - $6::interval
       and not pg_visible_in_snapshot(e.xid, coalesce(r.ended_after, x.started_after))
     where x.id = $4
     order by e.xid, e.occurred_at, e.id
     limit 1`,
    [...parameters, executionId, visit, longestDelay],
  );
  if (event !== undefined) await endWait(em, executionId);
  return event;
}

/**
 * Ends a wait whose time is over.
 * @returns false when an event has ended it before: its data are in the step run
 */
export async function endWait(em: Em, executionId: string): Promise<boolean> {
  const removed = await sql(em, 'delete from event_listeners where execution_id = $1 returning id', [
    executionId,
  ]);
  return removed.length > 0;
}

/** The hops of an event; undefined when it was deleted. */
export async function readHops(em: Em, eventId: string): Promise<number | undefined> {
  const [row] = await sql<{ hops: number }>(em, 'select hops from events where id = $1', [eventId]);
  return row?.hops;
}
