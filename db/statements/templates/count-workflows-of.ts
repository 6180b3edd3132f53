import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { isPinnedSql } from './find-pinned-versions.ts';

const countRow = z.object({ templateId: z.uuid(), workflows: z.int() });

/**
 * Number of workflows that send each of some templates, for a page of templates: in the graph being edited, or in a
 * version that executions follow or would start with. Looks each template up separately. A row per template of the
 * project.
 */
export function countWorkflowsOf(
  em: Em,
  projectId: string,
  templateIds: readonly string[],
): Promise<z.output<typeof countRow>[]> {
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
