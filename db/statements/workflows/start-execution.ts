import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryColumn } from '../../sql.ts';

export interface NewExecution {
  id: string;
  workflowId: string;
  version: number;
  contactId: string;
  context: Record<string, unknown>;
}

/**
 * Starts an execution by hand, with its outbox command and a feed row. The caller has locked the workflow and the
 * contact.
 *
 * The insert itself checks re-entry: if allowed, only one execution may be active (unique index
 * `workflow_executions_active`); otherwise only one may ever exist (`workflow_executions_once`).
 *
 * @returns false when the re-entry rule forbids it
 */
export async function startExecution(em: Em, execution: NewExecution): Promise<boolean> {
  const { id, workflowId, version, contactId, context } = execution;
  const sql = `with started as (
       insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once, context)
       select $1::uuid, w.project_id, w.id, $3::int, $4::uuid, not w.allow_reentry, $5::jsonb
       from workflows w
       where w.id = $2 and (w.allow_reentry or not exists (
         select from workflow_executions e where e.contact_id = $4::uuid and e.workflow_id = w.id))
       on conflict do nothing
       returning id, project_id, workflow_id, contact_id
     ),
     journaled as (
       insert into events (id, project_id, name, kind, contact_id, workflow_id, data, occurred_at)
       select uuidv7(), s.project_id, 'workflow.started', 'activity', s.contact_id, s.workflow_id,
         jsonb_build_object('workflowId', w.id, 'workflowName', w.name, 'executionId', s.id), clock_timestamp()
       from started s
       join workflows w on w.id = s.workflow_id
     ),
     commanded as (
       insert into outbox (id, kind, subject_id, project_id)
       select uuidv7(), 'execution.start', id, project_id from started
     )
     select id from started`;
  const parameters = [id, workflowId, version, contactId, JSON.stringify(context)];
  const started = await queryColumn(em, z.uuid(), sql, parameters);
  return started.length > 0;
}
