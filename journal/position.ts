import type { Client } from 'pg';
import { type JournalPosition, journalStart } from './read-batch.ts';

/** The row of `stream_positions` that belongs to the stream to ClickHouse. */
const streamName = 'clickhouse';

/** How far the stream has come; the start of the journal when nothing was streamed yet. */
export async function loadPosition(client: Client): Promise<JournalPosition> {
  const { rows } = await client.query<JournalPosition>(
    `select xid::text as xid, event_id as "eventId" from stream_positions where name = $1`,
    [streamName],
  );
  return rows[0] ?? journalStart;
}

/** Moves the position forward; a smaller one changes nothing. */
export async function savePosition(client: Client, position: JournalPosition): Promise<void> {
  await client.query(
    `insert into stream_positions as s (name, xid, event_id) values ($1, $2, $3)
    on conflict (name) do update set xid = excluded.xid, event_id = excluded.event_id, updated_at = now()
    where (s.xid, s.event_id) < (excluded.xid, excluded.event_id)`,
    [streamName, position.xid, position.eventId],
  );
}

/**
 * Starts the journal over when the position lies in the future of this database, which happens after a restore from
 * a logical dump: transaction ids begin anew, and every row written from then on would seem to be streamed already.
 *
 * @returns whether it did. Streaming everything again is exact, only work.
 */
export async function resetPositionFromTheFuture(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from stream_positions where name = $1 and xid >= pg_snapshot_xmax(pg_current_snapshot())',
    [streamName],
  );
  return rowCount === 1;
}
