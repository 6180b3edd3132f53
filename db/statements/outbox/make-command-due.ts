import { raw } from '@mikro-orm/core';
import { OutboxCommand } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';

/** Makes the command of a subject due now, by the database's clock. */
export async function makeCommandDue(
  em: Em,
  command: Pick<OutboxCommand, 'subjectId' | 'kind'>,
): Promise<void> {
  await em.nativeUpdate(OutboxCommand, command, { nextAttemptAt: raw('now()') });
}
