import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import type { Em } from '../../../db/orm.ts';
import { wasJournalStreamed } from '../../../db/statements/events/was-journal-streamed.ts';

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
