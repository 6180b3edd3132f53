import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { activeStatusesSql } from '../workflows/workflow-executions.ts';

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

/** A version of a workflow that sends a template although its steps do not any more. */
export interface PinnedVersion {
  workflowId: string;
  workflowName: string;
  version: number;
}

/** Versions that a refusal names. */
const mostVersions = 100;

/**
 * The versions, other than the one that is edited, by which executions are under way or would start; by the names of the
 * workflows.
 */
export function findVersionsOfTemplate(
  em: Em,
  projectId: string,
  templateId: string,
): Promise<PinnedVersion[]> {
  return sql(
    em,
    `select w.id as "workflowId", w.name as "workflowName", v.version
     from workflow_version_templates v
     join workflows w on w.id = v.workflow_id
     where v.template_id = $2 and w.project_id = $1 and v.version <> w.version
       and ((w.enabled and w.live_version = v.version) or exists (
         select from workflow_executions x
         where x.workflow_id = v.workflow_id and x.version = v.version and x.status in ${activeStatusesSql}))
     order by w.name, w.id, v.version
     limit ${mostVersions}`,
    [projectId, templateId],
  );
}

/**
 * In a transaction, before the template itself is held: until its end no execution starts in the workflows of which a
 * version sends the template, and those that are being started are there to be seen.
 */
export async function holdWorkflowsOfTemplate(em: Em, projectId: string, templateId: string): Promise<void> {
  await sql(
    em,
    `select from workflows
     where project_id = $1 and id in (select workflow_id from workflow_version_templates where template_id = $2)
     order by id for update`,
    [projectId, templateId],
  );
}
