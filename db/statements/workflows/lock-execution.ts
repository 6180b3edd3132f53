import { z } from 'zod';
import { executionStatuses } from '../../../core/workflows/execution-status.ts';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

const json = z.record(z.string(), z.unknown());

const executionSchema = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  workflowId: z.uuid(),
  version: z.int(),
  status: z.enum(executionStatuses),
  visit: z.int(),
  context: json,
  event: json,
  contactId: z.uuid().nullable(),
  eventId: z.uuid().nullable(),
  currentStepId: z.uuid().nullable(),
  onlyOnce: z.boolean(),
  /** Hops of its current cause (`core/workflows/endless.ts`). */
  hops: z.int(),
  pausedVisit: z.int().nullable(),
  /** Milliseconds until its pause times out; null when it does not. */
  resumesInMs: z.number().nullable(),
  branch: z.string().nullable(),
  output: json.nullable(),
  completedAt: z.date().nullable(),
  enteredAt: z.date().nullable(),
  /** Milliseconds since its outbound call was sent; null when no call is pending. */
  calledMsAgo: z.number().nullable(),
});

export type LockedExecution = z.output<typeof executionSchema>;

/**
 * Locks an execution, so that only one of its steps runs at a time, and reads it with its current step run. Times come
 * from the database's clock.
 *
 * @returns undefined when the execution was deleted
 */
export function lockExecution(em: Em, id: string): Promise<LockedExecution | undefined> {
  const sql = `select id, project_id as "projectId", workflow_id as "workflowId", version, status, visit, context, event,
       contact_id as "contactId", event_id as "eventId", current_step_id as "currentStepId",
       ceil(extract(epoch from resume_at - clock_timestamp()) * 1000)::float8 as "resumesInMs", branch, output,
       completed_at as "completedAt", entered_at as "enteredAt", only_once as "onlyOnce", hops,
       paused_visit as "pausedVisit", called_ms_ago as "calledMsAgo"
     from lock_execution($1)`;
  return queryFirst(em, executionSchema, sql, [id]);
}
