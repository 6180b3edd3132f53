import { setTimeout as delay } from 'node:timers/promises';
import type { Em } from '../../db/orm.ts';
import { type HandOverRecord, recordHandOvers } from '../../db/repositories/emails/record-hand-overs.ts';

const tries = 30;
const pauseMs = 500;

/**
 * Records what was handed over, also when the database is away for a moment: what is not recorded would have to wait for
 * the provider's events, or be sent again where there are none. Repeating it changes nothing.
 */
export async function recordSurely(em: Em, token: string, records: HandOverRecord[]): Promise<void> {
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
