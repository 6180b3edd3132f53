import { setTimeout as delay } from 'node:timers/promises';
import type { Em } from '../../db/orm.ts';
import { readEventDeletionProgress } from '../../db/repositories/events/event-deletions.ts';

const pollIntervalMs = 200;
/** The journal's reader needs half a second, as a rule; what takes longer is a matter of retries. */
const polls = 25;

/**
 * Until the journal's reader is past a row: nothing that stood before it can still arrive in ClickHouse.
 *
 * @param markerId of the row
 * @throws Error when the reader is behind
 */
export async function whenStreamed(em: Em, markerId: string, signal?: AbortSignal): Promise<void> {
  for (let poll = 0; poll < polls; poll += 1) {
    if ((await readEventDeletionProgress(em, markerId)).isStreamed) return;
    await delay(pollIntervalMs, undefined, { signal });
  }
  throw new Error('ClickHouse has not yet received what was journaled before the deletion');
}
