import { z } from 'zod';
import { executionStatuses } from '../../../core/workflows/execution-status.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const json = z.record(z.string(), z.unknown());

const executionSchema = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  workflowId: z.uuid(),
  version: z.number().int(),
  status: z.enum(executionStatuses),
  visit: z.number().int(),
  context: json,
  event: json,
  contactId: z.uuid().nullable(),
  eventId: z.uuid().nullable(),
  currentStepId: z.uuid().nullable(),
  onlyOnce: z.boolean(),
  /** Hops of its current cause (`core/workflows/endless.ts`). */
  hops: z.number().int(),
  pausedVisit: z.number().int().nullable(),
  resumeAt: z.date().nullable(),
  branch: z.string().nullable(),
  output: json.nullable(),
  completedAt: z.date().nullable(),
  enteredAt: z.date().nullable(),
  /** Milliseconds since its call was sent; null when no call is pending. */
  calledMsAgo: z.number().nullable(),
});

export type LockedExecution = z.output<typeof executionSchema>;

/**
 * Locks an execution, so that only one of its steps runs at a time, and reads it with its current step run. Times come
 * from the database's clock.
 *
 * @returns undefined when the execution was deleted
 */
export async function lockExecution(em: Em, id: string): Promise<LockedExecution | undefined> {
  const [row] = await query(
    em,
    z.object({ eventId: z.uuid().nullable() }),
    'select event_id as "eventId" from workflow_executions where id = $1 for no key update',
    [id],
  );
  if (row === undefined) return undefined;
  // A second statement, because only that sees what was committed while the first waited for the lock.
  const [execution] = await query(
    em,
    executionSchema,
    `select x.id, x.project_id as "projectId", x.workflow_id as "workflowId", x.version, x.status, x.visit,
       x.context, x.event, c.id as "contactId", x.event_id as "eventId",
       x.current_step_id as "currentStepId", x.resume_at as "resumeAt", r.branch, r.output,
       r.completed_at as "completedAt", r.started_at as "enteredAt", x.only_once as "onlyOnce",
       coalesce(x.hops, (select e.hops from events e where e.id = $2), 0) as hops,
       x.paused_visit as "pausedVisit",
       extract(epoch from clock_timestamp() - r.called_at)::float8 * 1000 as "calledMsAgo"
     from workflow_executions x
     left join workflow_step_runs r on r.execution_id = x.id and r.visit = x.visit
     left join contacts c on c.id = x.contact_id and c.project_id = x.project_id
     where x.id = $1`,
    // The event as a parameter: planning a look-up in each of its partitions would take longer than all the rest.
    [id, row.eventId],
  );
  return execution;
}
