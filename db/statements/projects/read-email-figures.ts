import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const figures = z.object({ sent: z.int(), bounced: z.int(), complained: z.int() });
const row = z.object({
  projectId: z.uuid(),
  week: figures,
  allTime: figures,
});

export type ProjectEmailFigures = z.output<typeof row>;

// A statement, because it aggregates a union.
export function readEmailFigures(em: Em, projectIds: readonly string[]): Promise<ProjectEmailFigures[]> {
  const sql = `select project_id as "projectId",
       json_build_object('sent', coalesce(sum(sent) filter (where recent), 0),
         'bounced', coalesce(sum(bounced) filter (where recent), 0),
         'complained', coalesce(sum(complained) filter (where recent), 0)) as week,
       json_build_object('sent', sum(sent), 'bounced', sum(bounced), 'complained', sum(complained)) as "allTime"
     from (
       select project_id, sent, bounced, complained, day > (now() at time zone 'UTC')::date - 7 as recent
       from project_email_days where project_id = any($1::uuid[])
       union all
       select project_id, sent, bounced, complained, day > (now() at time zone 'UTC')::date - 7
       from project_email_changes where project_id = any($1::uuid[])
     ) figures
     group by project_id`;
  return query(em, row, sql, [projectIds]);
}
