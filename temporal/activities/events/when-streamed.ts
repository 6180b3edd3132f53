import { setTimeout as delay } from 'node:timers/promises';
import type { Em } from '../../../db/orm.ts';
import { readMarkerProgress } from '../../../db/statements/events/read-marker-progress.ts';

const pollIntervalMs = 200;
/** The journal's reader usually needs half a second; the activity's retries cover longer delays. */
const usualPatienceMs = 5_000;

/**
 * Waits until the journal's reader has passed a marker row, so that nothing before it can still arrive in
 * ClickHouse.
 *
 * @throws Error when the reader needs longer than `patienceMs`
 */
export async function whenStreamed(
  em: Em,
  markerId: string,
  signal?: AbortSignal,
  patienceMs = usualPatienceMs,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollIntervalMs) {
    if ((await readMarkerProgress(em, markerId)).isStreamed) return;
    await delay(pollIntervalMs, undefined, { signal });
  }
  throw new Error('ClickHouse has not yet received the journal up to the deletion');
}
