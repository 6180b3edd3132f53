import { setTimeout as delay } from 'node:timers/promises';
import type { Em } from '../../../db/orm.ts';
import { type HandOverRecord, recordHandOvers } from '../../../db/statements/emails/record-hand-overs.ts';

const tries = 30;
const pauseMs = 500;

/**
 * Records the outcomes of a claim, retrying for 15 seconds: after a lost outcome, the email's state depends
 * on the provider's events; without them it may be sent twice.
 */
export async function recordWithRetry(em: Em, token: string, records: HandOverRecord[]): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await recordHandOvers(em.fork(), token, records);
      return;
    } catch (error) {
      if (tried === tries) throw error;
      await delay(pauseMs);
    }
  }
}
