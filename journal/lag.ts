import type { Client } from 'pg';
import { z } from 'zod';
import type { JournalPosition } from './read-batch.ts';

/** Bounds the count to a few milliseconds. */
const maxCountedRows = 50_000;

const lagSql = `
select
  (select count(*)::int from (
    select from events where (xid, id) > ($1::xid8, $2::uuid) order by xid, id limit ${maxCountedRows}
  ) waiting) as "rowsBehind",
  coalesce((
    select greatest(0, extract(epoch from clock_timestamp() - uuid_extract_timestamp(id)))
    from events where (xid, id) > ($1::xid8, $2::uuid) order by xid, id limit 1
  ), 0)::float8 as "secondsBehind",
  coalesce(s.refused_rows, 0) as "refusedRows", s.refused_at as "refusedAt"
from (values ('clickhouse')) stream (name)
left join stream_positions s using (name)`;

const lagSchema = z.object({
  /** Rows not streamed yet, counted up to 50,000. */
  rowsBehind: z.int(),
  /**
   * How long the oldest of them has waited, by its id; 0 when there are none. Not by `occurredAt`: the provider may report
   * hours late.
   */
  secondsBehind: z.number(),
  /** Rows that ClickHouse refused, so that it has them without their data or not at all. */
  refusedRows: z.int(),
  /** When ClickHouse last refused a row. */
  refusedAt: z.date().nullable(),
});

export type JournalLag = z.output<typeof lagSchema> & { measuredAt: Date | undefined };

/** Rows of open transactions are not visible and not counted. */
export async function measureLag(client: Client, position: JournalPosition, now: Date): Promise<JournalLag> {
  const { rows } = await client.query(lagSql, [position.xid, position.eventId]);
  return { ...lagSchema.parse(rows[0]), measuredAt: now };
}
