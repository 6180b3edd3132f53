import { isOverMatchLimit } from '../../../db/database-errors.ts';
import type { Em } from '../../../db/orm.ts';
import { endDueSnoozes, endSnooze } from '../../../db/statements/contacts/end-snoozes.ts';
import type { SnoozeOutcome } from '../../contracts/contact-snooze.ts';

export async function endContactSnooze(em: Em, contactId: string, now: Date): Promise<SnoozeOutcome> {
  const { isResubscribed, until } = await endSnooze(em, contactId, now);
  if (isResubscribed) return { outcome: 'resubscribed' };
  if (until === null) return { outcome: 'ended' };
  return { outcome: 'waiting', inMs: Math.max(1, until.getTime() - now.getTime()) };
}

/** A snooze overdue by this much has lost its timer. */
const overdueMs = 5 * 60 * 1000;
const batchContacts = 500;

export async function endOverdueSnoozes(em: Em, now: Date): Promise<{ ended: number }> {
  const overdue = new Date(now.getTime() - overdueMs);
  let ended = 0;
  for (let most = batchContacts; ; ) {
    try {
      const batch = await endDueSnoozes(em, now, overdue, most);
      ended += batch;
      if (batch < most) return { ended };
    } catch (error) {
      if (!isOverMatchLimit(error)) throw error;
      most = Math.ceil(most / 2);
    }
  }
}
