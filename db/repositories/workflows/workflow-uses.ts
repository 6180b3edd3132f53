import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import type { StepRecord } from './workflow-graphs.ts';

/** A step of a workflow that may refer to fields, events or segments. */
export interface ReferringStep extends Pick<StepRecord, 'type' | 'config'> {
  workflowId: string;
  workflowName: string;
  /** Of the event that starts the workflow. */
  eventName: string;
}

/** The steps of the project's workflows that read, write or wait for something, and triggers; newest workflow first. */
export function listReferringSteps(em: Em, projectId: string): Promise<ReferringStep[]> {
  return sql(
    em,
    `select w.id as "workflowId", w.name as "workflowName", w.event_name as "eventName", s.type, s.config
     from workflows w
     join workflow_steps s on s.workflow_id = w.id
     where w.project_id = $1 and s.type in ('TRIGGER', 'CONDITION', 'WAIT_FOR_EVENT', 'UPDATE_CONTACT')
     order by w.created_at desc, w.id desc, s.created_at, s.id`,
    [projectId],
  );
}

/** Workflows with a step that a test holds for, each once, in the order of their steps. */
export function workflowsWith(
  steps: readonly ReferringStep[],
  refers: (step: ReferringStep) => boolean,
): { id: string; name: string }[] {
  const found = steps
    .filter(refers)
    .map(({ workflowId, workflowName }): [string, string] => [workflowId, workflowName]);
  return [...new Map(found)].map(([id, name]) => ({ id, name }));
}
