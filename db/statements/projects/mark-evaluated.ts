import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { EmailDay } from './lock-unevaluated-days.ts';

export async function markEvaluated(em: Em, days: readonly EmailDay[]): Promise<void> {
  await execute(
    em,
    `update project_email_days d set judged = true
     from unnest($1::uuid[], $2::date[]) as marked (project_id, day)
     where d.project_id = marked.project_id and d.day = marked.day`,
    [days.map(({ projectId }) => projectId), days.map(({ day }) => day)],
  );
}
