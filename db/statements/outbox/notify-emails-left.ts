import type { Em } from '../../orm.ts';
import { commandsLeftChannel, emailsLeft } from '../../project-changes.ts';
import { execute } from '../../sql.ts';

/**
 * Tells all workers that emails wait. Call after the commit: a transaction that notifies keeps others that do from
 * committing until it is on disk. Notifications have no other form than a statement.
 */
export async function notifyEmailsLeft(em: Em): Promise<void> {
  await execute(em, `select pg_notify('${commandsLeftChannel}', '${emailsLeft}')`);
}
