import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

export const pinnedVersionSchema = z.object({
  workflowId: z.uuid(),
  workflowName: z.string(),
  version: z.int(),
});

export type PinnedVersion = z.output<typeof pinnedVersionSchema>;

const maxVersions = 100;

/**
 * Whether executions follow or would start with the version `v` of the workflow `w`, and it is not the one being
 * edited. Looks for executions only where the other conditions hold.
 */
export const isPinnedSql = `v.version <> w.version
       and ((w.enabled and w.live_version = v.version) or exists (
         select from workflow_executions x
         where x.workflow_id = v.workflow_id and x.version = v.version and x.status in ${activeStatusesSql}))`;

/**
 * Versions that send the template and that executions follow or would start with, other than the version being edited.
 * By workflow name.
 */
export function findPinnedVersions(em: Em, projectId: string, templateId: string): Promise<PinnedVersion[]> {
  const sql = `select w.id as "workflowId", w.name as "workflowName", v.version
     from workflow_version_templates v
     join workflows w on w.id = v.workflow_id
     where v.template_id = $2 and w.project_id = $1 and ${isPinnedSql}
     order by w.name, w.id, v.version
     limit ${maxVersions}`;
  return query(em, pinnedVersionSchema, sql, [projectId, templateId]);
}

const countRow = z.object({ templateId: z.uuid(), workflows: z.int() });

/**
 * Number of workflows that send each of some templates, for a page of templates: in the graph being edited, or in a
 * version that executions follow or would start with. Looks each template up separately. A row per template of the
 * project.
 */
export function countWorkflowsOf(em: Em, projectId: string, templateIds: readonly string[]) {
  const sql = `select t.id as "templateId", used.workflows
     from templates t
     cross join lateral (
       select count(*)::int as workflows from (
         select s.workflow_id from workflow_steps s where s.template_id = t.id
         union
         select v.workflow_id from workflow_version_templates v join workflows w on w.id = v.workflow_id
         where v.template_id = t.id and ${isPinnedSql}
       ) sending
     ) used
     where t.project_id = $1 and t.id = any($2::uuid[])`;
  return query(em, countRow, sql, [projectId, templateIds]);
}

const stepSchema = z.object({
  workflowId: z.uuid(),
  workflowName: z.string(),
  stepId: z.uuid(),
  stepName: z.string(),
});

export type TemplateStep = z.output<typeof stepSchema>;

// A statement, because it reads two columns of each side of a join, and no step's configuration.
export function findTemplateSteps(em: Em, projectId: string, templateId: string): Promise<TemplateStep[]> {
  const sql = `select w.id as "workflowId", w.name as "workflowName", s.id as "stepId", s.name as "stepName"
     from workflow_steps s
     join workflows w on w.id = s.workflow_id
     where s.template_id = $2 and w.project_id = $1
     order by w.name, s.name, s.id`;
  return query(em, stepSchema, sql, [projectId, templateId]);
}

/**
 * Locks the workflows with a version that sends the template, in id order; call it in a transaction, before locking the
 * template. Until the transaction ends, no execution starts in them, and those that were starting have committed.
 */
export async function lockWorkflowsOfTemplate(em: Em, projectId: string, templateId: string): Promise<void> {
  const sql = `select from workflows
     where project_id = $1 and id in (select workflow_id from workflow_version_templates where template_id = $2)
     order by id for update`;
  await execute(em, sql, [projectId, templateId]);
}
