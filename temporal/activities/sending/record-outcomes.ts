import { setTimeout as delay } from 'node:timers/promises';
import type { Em } from '../../../db/orm.ts';
import { type HandOverRecord, recordHandOvers } from '../../../db/statements/emails/hand-overs.ts';
import type { ClaimOutcomes } from './claim-outcomes.ts';

const tries = 30;
const pauseMs = 500;

/**
 * Records the outcomes of a claim, retrying for 15 seconds: after a lost outcome, the email's state depends on the
 * provider's events; without them it may be sent twice.
 */
async function recordWithRetry(em: Em, token: string, records: HandOverRecord[]): Promise<void> {
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

const earlyMs = 1_000;

/**
 * Records the outcomes of a claim: once a second while its emails are handed over, so that a slow answer does not leave
 * the others in doubt if the process dies, and the rest at the end.
 *
 * @param handingOver adds to `outcomes` until it resolves
 * @param recorded called after each commit
 */
export async function recordOutcomes(
  em: Em,
  token: string,
  outcomes: ClaimOutcomes,
  handingOver: Promise<unknown>,
  recorded: () => void = () => undefined,
): Promise<void> {
  let done = 0;
  const record = async () => {
    const records = outcomes.records.slice(done);
    if (records.length === 0) return;
    await recordWithRetry(em, token, records);
    done += records.length;
    recorded();
  };
  const over = handingOver.then(() => true);
  const isOver = () => Promise.race([over, delay(earlyMs, false, { ref: false })]);
  // Outcomes that can't be recorded now are recorded at the end.
  while (!(await isOver())) await record().catch(() => undefined);
  await record();
}
