import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A step of a workflow that sends a template. */
export interface TemplateStep {
  workflowId: string;
  workflowName: string;
  stepId: string;
  stepName: string;
}

/** The steps of the project's workflows that send a template, by the names of workflow and step. */
export function findStepsOfTemplate(em: Em, projectId: string, templateId: string): Promise<TemplateStep[]> {
  return sql(
    em,
    `select w.id as "workflowId", w.name as "workflowName", s.id as "stepId", s.name as "stepName"
     from workflow_steps s
     join workflows w on w.id = s.workflow_id
     where s.template_id = $2 and w.project_id = $1
     order by w.name, s.name, s.id`,
    [projectId, templateId],
  );
}
