import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

export const pinnedVersionSchema = z.object({
  workflowId: z.uuid(),
  workflowName: z.string(),
  version: z.number().int(),
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
