import type { Em } from '../../orm.ts';
import { commandsLeftChannel, emailsLeft } from '../../project-changes.ts';
import { execute } from '../../sql.ts';

/**
 * Tells all workers that emails wait. Call after the commit: a transaction that notifies keeps others that do from
 * committing. It does not wait for the disk, whose flush would delay the commits of emails, because polling finds
 * what a crash keeps from being told. Notifications have no other form than a statement.
 */
export async function notifyEmailsLeft(em: Em): Promise<void> {
  await execute(
    em,
    `select set_config('synchronous_commit', 'off', true), pg_notify('${commandsLeftChannel}', '${emailsLeft}')`,
  );
}
