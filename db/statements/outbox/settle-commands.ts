import { raw } from '@mikro-orm/core';
import { OutboxCommand } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

export async function deleteCommands(em: Em, ids: string[]): Promise<void> {
  if (ids.length > 0) await execute(em, 'delete from outbox where id = any($1::uuid[])', [ids]);
}

/**
 * Retries commands after an error that they caused. The delay doubles up to ten minutes; after `maxAttempts` they are
 * dead and stay for the operator.
 */
export async function postponeCommands(
  em: Em,
  ids: string[],
  error: string,
  maxAttempts: number,
): Promise<void> {
  const sql = `update outbox
     set attempts = attempts + 1, last_error = left($2, 500),
       next_attempt_at = now() + make_interval(secs => least(600, power(2, attempts))),
       dead_at = case when attempts + 1 >= $3 then now() end
     where id = any($1::uuid[])`;
  await execute(em, sql, [ids, error, maxAttempts]);
}

/** Delays commands after a failure that they did not cause, without counting an attempt. */
export async function delayCommands(em: Em, ids: string[], seconds: number): Promise<void> {
  const sql =
    'update outbox set next_attempt_at = now() + make_interval(secs => $2) where id = any($1::uuid[])';
  await execute(em, sql, [ids, seconds]);
}

/** Makes a subject's command, of a kind other than `email.dispatch`, due now by the database's clock. */
export async function makeCommandDue(
  em: Em,
  command: Pick<OutboxCommand, 'projectId' | 'kind' | 'subjectId'>,
): Promise<void> {
  // The subject has no index. By its project, the command is found among the project's waiting ones in outbox_work.
  await em.nativeUpdate(OutboxCommand, { ...command, deadAt: null }, { nextAttemptAt: raw('now()') });
}
