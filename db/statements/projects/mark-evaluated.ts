import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { EmailDay } from './lock-unevaluated-days.ts';

// A statement, because it updates many rows by a composite key.
export async function markEvaluated(em: Em, days: readonly EmailDay[]): Promise<void> {
  const sql = `update project_email_days d set judged = true
     from unnest($1::uuid[], $2::date[]) as marked (project_id, day)
     where d.project_id = marked.project_id and d.day = marked.day`;
  await execute(em, sql, [days.map(({ projectId }) => projectId), days.map(({ day }) => day)]);
}
