import type { Em } from '../../orm.ts';
import { commandsLeftChannel, emailsLeft } from '../../project-changes.ts';
import { execute } from '../../sql.ts';

/**
 * Notifies all workers that emails are waiting. Call it after the commit: Postgres serializes commits that notify.
 * Commits asynchronously, because a flush would delay the commits of emails; polling finds whatever a crash loses.
 */
export async function notifyWaitingEmails(em: Em): Promise<void> {
  const sql = `select set_config('synchronous_commit', 'off', true), pg_notify('${commandsLeftChannel}', '${emailsLeft}')`;
  await execute(em, sql);
}
