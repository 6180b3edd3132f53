import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

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
