import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/** Journals that a project's data were deleted, in a separate transaction after the deletion. Idempotent by id. */
export async function journalErasure(
  em: Em,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> {
  await execute(
    em,
    `insert into events (id, project_id, name, kind, occurred_at)
     values ($1, $2, 'project.erased', 'activity', now()) on conflict (id) do nothing`,
    [id, projectId],
  );
}
