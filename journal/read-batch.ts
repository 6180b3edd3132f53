import type { Client } from 'pg';
import { z } from 'zod';
import { type EventColumn, eventColumns } from '../analytics/tables/event.ts';
import { activityTypeByName, trackedActivityType } from '../core/activity-types.ts';
import { nilId } from '../core/nil-id.ts';

export interface JournalPosition {
  /** An `xid8` as text; it exceeds the range of a JavaScript number. */
  readonly xid: string;
  readonly eventId: string;
}

export const journalStart: JournalPosition = { xid: '0', eventId: nilId };

export interface JournalBatch {
  /** One tab-separated line per row, in commit order, joined by line feeds. */
  readonly lines: string;
  readonly rows: number;
  readonly end: JournalPosition;
  readonly isFull: boolean;
}

const escaped = (column: string) =>
  `replace(replace(replace(replace(${column}, E'\\\\', E'\\\\\\\\'), E'\\t', E'\\\\t'), E'\\n', E'\\\\n'), E'\\r', E'\\\\r')`;
const orZero = (column: string) => `coalesce(${column}, '${journalStart.eventId}')`;

const valueSql: Record<EventColumn, string> = {
  project_id: 'e.project_id',
  event_id: 'e.id',
  occurred_at: `to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`,
  name: escaped('e.name'),
  kind: 'e.kind',
  activity_type: `case e.kind when 'tracked' then '${trackedActivityType}' else coalesce($5::jsonb ->> e.name, '') end`,
  contact_id: orZero('e.contact_id'),
  email_id: orZero('e.email_id'),
  campaign_id: orZero('e.campaign_id'),
  workflow_id: orZero('e.workflow_id'),
  // jsonb text has no raw tab or line feed: it escapes them with a backslash.
  data: `replace(e.data::text, E'\\\\', E'\\\\\\\\')`,
};

/** For the lines, and for their data as Postgres stores it uncompressed. The row that reaches the limit ends the batch. */
const maxBatchBytes = 8 * 1024 * 1024;

/** Limit of an event's data (`maxContactDataBytes`), which a compressed row is taken to reach. */
const compressedRowBytes = 64 * 1024;

/**
 * Rows after a position, below `pg_snapshot_xmin` only: from there on, an open transaction may still add a row with a
 * smaller position. Two running sums bound a batch. `claimed_bytes` is known before a row is rendered: a compressed row
 * counts as large as it can be, because Postgres compresses some data to a hundredth. `bytes` is the size of the lines,
 * which may be far longer: jsonb prints 1e300 with all its zeros. One text for all rows produces less garbage in Node than
 * one text each.
 */
const readSql = `
select string_agg(e.line, E'\\n') as lines, count(*)::int as rows, max((e.xid, e.id))::text as "end",
  max(greatest(e.bytes, e.claimed_bytes))::int as bytes
from (
  select l.*, (sum(octet_length(l.line)) over (order by l.xid, l.id rows unbounded preceding))::int as bytes
  from (
    select e.xid, e.id, e.claimed_bytes,
      concat_ws(E'\\t', ${eventColumns.map((column) => valueSql[column]).join(', ')}) as line
    from (
      select w.*, own_bytes, sum(own_bytes) over (order by w.xid, w.id rows unbounded preceding) as claimed_bytes
      from (
        select * from events
        where (xid, id) > ($1::xid8, $2::uuid) and xid < pg_snapshot_xmin(pg_current_snapshot())
        order by xid, id
        limit $3
      ) w
      cross join lateral (
        select greatest(pg_column_size(w.data),
          case when pg_column_compression(w.data) is not null then ${compressedRowBytes} end) as own_bytes
      ) size
    ) e
    where e.claimed_bytes - e.own_bytes < $4
    order by e.xid, e.id
  ) l
) e
where e.bytes - octet_length(e.line) < $4`;

const rowSchema = z.object({
  lines: z.string().nullable(),
  rows: z.number(),
  end: z.templateLiteral(['(', z.string(), ',', z.guid(), ')']).nullable(),
  bytes: z.number().nullable(),
});

const typesParameter = JSON.stringify(activityTypeByName);

/**
 * Reads the next rows of the journal in commit order. Postgres renders the lines, which is cheaper than parsing and
 * printing rows in Node.
 *
 * @param maxRows upper bound; large rows end a batch earlier
 */
export async function readBatch(
  client: Client,
  position: JournalPosition,
  maxRows: number,
): Promise<JournalBatch> {
  const answer = await client.query({
    name: 'journal-batch',
    text: readSql,
    values: [position.xid, position.eventId, maxRows, maxBatchBytes, typesParameter],
  });
  const { lines, rows, end, bytes } = rowSchema.parse(answer.rows[0]);
  const [xid, eventId] = end?.slice(1, -1).split(',') ?? [];
  if (lines === null || xid === undefined || eventId === undefined) {
    return { lines: '', rows: 0, end: position, isFull: false };
  }
  return { lines, rows, end: { xid, eventId }, isFull: rows === maxRows || (bytes ?? 0) >= maxBatchBytes };
}
