import { raw } from '@mikro-orm/core';
import { OutboxCommand } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';

/** Makes a subject's command, of a kind other than `email.dispatch`, due now by the database's clock. */
export async function makeCommandDue(
  em: Em,
  command: Pick<OutboxCommand, 'projectId' | 'kind' | 'subjectId'>,
): Promise<void> {
  // The subject has no index. By its project, the command is found among the project's waiting ones in outbox_work.
  await em.nativeUpdate(OutboxCommand, { ...command, deadAt: null }, { nextAttemptAt: raw('now()') });
}
