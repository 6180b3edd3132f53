import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';
import type { StepRecord } from './workflow-graphs.ts';

/** A step of a workflow whose config may refer to fields, events or segments. */
export interface ReferringStep extends Pick<StepRecord, 'type' | 'config'> {
  workflowId: string;
  workflowName: string;
}

/** The steps of the project's workflows that read or wait for something, newest workflow first. */
export function listReferringSteps(em: Em, projectId: string): Promise<ReferringStep[]> {
  return sql(
    em,
    `select w.id as "workflowId", w.name as "workflowName", s.type, s.config
     from workflows w
     join workflow_steps s on s.workflow_id = w.id
     where w.project_id = $1 and s.type in ('CONDITION', 'WAIT_FOR_EVENT', 'UPDATE_CONTACT')
     order by w.created_at desc, w.id desc, s.created_at, s.id`,
    [projectId],
  );
}

/** Workflows of the project that an event starts, newest first. */
export function listTriggeredWorkflows(
  em: Em,
  projectId: string,
  eventName: string,
): Promise<{ id: string; name: string }[]> {
  return sql(
    em,
    `select id, name from workflows where project_id = $1 and event_name = $2 order by created_at desc, id desc`,
    [projectId, eventName],
  );
}
