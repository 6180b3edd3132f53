import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import { waitUntil } from '../../../core/pause.ts';
import type { Em } from '../../../db/orm.ts';
import { readMarkerProgress, wasJournalStreamed } from '../../../db/statements/events/journal-marker.ts';

/**
 * Whether the deployment is without ClickHouse, now and ever, so that nothing is left to erase once Postgres is done: one
 * that is configured later receives only the rows that Postgres still has.
 *
 * @throws ClickHouseUnavailable when one has received rows and is no longer configured: it still has them
 */
export async function hasNeverStreamed(em: Em, clickhouse: ClickHouse): Promise<boolean> {
  if (clickhouse.isConfigured) return false;
  if (!(await wasJournalStreamed(em))) return true;
  throw new ClickHouseUnavailable('A ClickHouse has received the journal, but none is configured any more');
}

const pollIntervalMs = 200;
/** The journal's reader usually needs half a second; the activity's retries cover longer delays. */
const usualLimitMs = 5_000;

export interface StreamWait {
  signal?: AbortSignal | undefined;
  limitMs?: number | undefined;
}

/**
 * Waits until the journal's reader has passed a marker row, so that nothing before it can still arrive in ClickHouse.
 *
 * @throws Error when the reader is further behind than the limit, by default five seconds
 */
export async function whenStreamed(
  em: Em,
  markerId: string,
  { signal, limitMs = usualLimitMs }: StreamWait = {},
): Promise<void> {
  const isStreamed = async () => (await readMarkerProgress(em, markerId)).isStreamed;
  if (await waitUntil(isStreamed, pollIntervalMs, limitMs, signal)) return;
  throw new Error('ClickHouse has not yet received the journal up to the deletion');
}
