import { z } from 'zod';
import { stepTypes } from '../../../core/workflows/step-config.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { isPinnedSql, pinnedVersionSchema } from '../templates/workflows-of-template.ts';

const pinnedStepsRow = pinnedVersionSchema.extend({
  steps: z.array(z.object({ type: z.enum(stepTypes), config: z.record(z.string(), z.unknown()) })),
});

/**
 * Versions that name the segment or its events and that executions follow or would start with, other than the version
 * being edited. By workflow name, with their steps, which show whether they refer to the segment.
 */
export function listPinnedSteps(em: Em, projectId: string, { id, slug }: { id: string; slug: string }) {
  const sql = `with pinned as materialized (
       select v.workflow_id, v.version, w.name
       from workflows w
       join workflow_versions v on v.workflow_id = w.id
       where w.project_id = $1 and ${isPinnedSql}
     )
     select p.workflow_id as "workflowId", p.name as "workflowName", p.version, v.graph -> 'steps' as steps
     from pinned p
     join workflow_versions v on v.workflow_id = p.workflow_id and v.version = p.version
     where strpos(lower(v.graph::text), $2) > 0 or strpos(v.graph::text, $3) > 0
     order by p.name, p.workflow_id, p.version`;
  return query(em, pinnedStepsRow, sql, [projectId, id, `segment.${slug}.`]);
}
