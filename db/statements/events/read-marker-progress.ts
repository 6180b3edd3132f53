import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const progressRow = z.object({
  isJournaled: z.boolean(),
  /**
   * Whether the journal's reader has passed the marker, so that none of the deleted rows can still arrive in
   * ClickHouse.
   */
  isStreamed: z.boolean(),
});
export type MarkerProgress = z.output<typeof progressRow>;

/** Progress of a `JournalMarker`. A statement, because positions in the journal compare as pairs of `xid8` and id. */
export async function readMarkerProgress(em: Em, id: string): Promise<MarkerProgress> {
  const sql = `select true as "isJournaled",
       coalesce((select (p.xid, p.event_id) >= (e.xid, e.id) from stream_positions p where p.name = 'clickhouse'), false)
         as "isStreamed"
     from events e where e.id = $1`;
  const [row] = await query(em, progressRow, sql, [id]);
  return row ?? { isJournaled: false, isStreamed: false };
}
