import type { Client } from 'pg';
import { z } from 'zod';
import { type JournalPosition, journalStart } from './read-batch.ts';

const streamName = 'clickhouse';
const positionSchema = z.object({ xid: z.string(), eventId: z.guid() });

export async function loadPosition(client: Client): Promise<JournalPosition> {
  const sql = `select xid::text as xid, event_id as "eventId" from stream_positions where name = $1`;
  const { rows } = await client.query(sql, [streamName]);
  return positionSchema.default(journalStart).parse(rows[0]);
}

/**
 * Never moves the position backwards.
 * @param refused rows before the position that are not stored unchanged, since the last call
 */
export async function savePosition(
  client: Client,
  position: JournalPosition,
  refused: number,
): Promise<void> {
  const sql = `insert into stream_positions as s (name, xid, event_id, refused_rows, refused_at)
    values ($1, $2, $3, $4, case when $4 > 0 then now() end)
    on conflict (name) do update set xid = excluded.xid, event_id = excluded.event_id, updated_at = now(),
      refused_rows = s.refused_rows + excluded.refused_rows, refused_at = coalesce(excluded.refused_at, s.refused_at)
    where (s.xid, s.event_id) < (excluded.xid, excluded.event_id)`;
  await client.query(sql, [streamName, position.xid, position.eventId, refused]);
}

/**
 * Resets a position ahead of this database's transaction ids, as after restoring a logical dump: ids restart, so
 * every new row would look streamed already. Streaming everything again is idempotent.
 *
 * @returns whether the position was reset
 */
export async function resetPositionFromTheFuture(client: Client): Promise<boolean> {
  const sql =
    'delete from stream_positions where name = $1 and xid >= pg_snapshot_xmax(pg_current_snapshot())';
  const { rowCount } = await client.query(sql, [streamName]);
  return rowCount === 1;
}
