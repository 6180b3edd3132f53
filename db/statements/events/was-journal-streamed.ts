import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/** Whether a ClickHouse has ever received rows of the journal. */
export const wasJournalStreamed = (em: Em): Promise<boolean> =>
  queryValue(em, z.boolean(), `select exists (select from stream_positions where name = 'clickhouse')`);
