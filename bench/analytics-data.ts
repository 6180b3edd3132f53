import type { ClickHouse } from '../analytics/clickhouse.ts';

/** Owns nine of ten events; the others belong to a hundred small projects. */
export const bigProject = '01900000-0000-7000-8000-000000000001';

const spreadDays = 90;
const rowsPerInsert = 1_000_000;

/** SQL for a UUIDv7 with this time and deterministic random bits. */
const uuidSql = (at: string, seed: string) => `reinterpretAsUUID(concat(
  reinterpretAsFixedString(bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(${at})), 16),
    bitOr(0x7000, bitAnd(sipHash64(${seed}), 0xFFF)))),
  reinterpretAsFixedString(bitOr(0x8000000000000000, bitShiftRight(sipHash64(${seed}, 1), 2)))))`;

/**
 * Ten consecutive rows are the events of three emails (sent and delivered, the first one opened and clicked) and two
 * tracked events, in chronological order as in production. A campaign has the emails of `campaignSeconds`.
 */
const fillSql = `
INSERT INTO event
  (project_id, event_id, occurred_at, name, kind, activity_type, contact_id, email_id, campaign_id, workflow_id, data)
WITH
  addMilliseconds(toDateTime64({startAt:String}, 3, 'UTC'), toInt64(number * {stepMs:Float64})) AS at,
  addMilliseconds(toDateTime64({startAt:String}, 3, 'UTC'), toInt64(intDiv(number, 10) * 10 * {stepMs:Float64}))
    AS sent_at,
  number % 10 IN (7, 8) AS is_tracked,
  intDiv(number, 10) * 3 + if(number % 10 = 9, 0, number % 10 % 3) AS email_number,
  toUUID('00000000-0000-0000-0000-000000000000') AS none
SELECT
  if(intDiv(number, 10) % 10 = 0,
    toUUID(concat('01900000-0000-7000-8000-0000000002', leftPad(toString(intDiv(number, 100) % 100), 2, '0'))),
    {projectId:UUID}),
  ${uuidSql('at', 'number')},
  at,
  ['email.sent', 'email.sent', 'email.sent', 'email.delivery', 'email.delivery', 'email.delivery', 'email.open',
    'page viewed', 'order placed', 'email.click'][number % 10 + 1],
  if(is_tracked, 'tracked', 'emitted'),
  ['email.sent', 'email.sent', 'email.sent', 'email.delivered', 'email.delivered', 'email.delivered',
    'email.opened', 'event.tracked', 'event.tracked', 'email.clicked'][number % 10 + 1],
  ${uuidSql(`toDateTime64('2025-01-01 00:00:00', 3, 'UTC')`, 'email_number % 200000')},
  if(is_tracked, none, ${uuidSql('sent_at', `'email', email_number`)}),
  if(is_tracked, none,
    toUUID(concat('01900000-0000-7000-8000-00000001', leftPad(toString(intDiv(toUnixTimestamp(sent_at), {campaignSeconds:UInt32}) % 10000), 4, '0')))),
  none,
  multiIf(
    is_tracked, concat('{"path":"/products/', toString(number % 5000), '","price":', toString(number % 100), '}'),
    concat('{"emailId":"', toString(${uuidSql('sent_at', `'email', email_number`)}), '","messageId":"0100019', toString(email_number),
      '","subject":"News of the week","from":"news@shop.example.com","sourceType":"CAMPAIGN"',
      if(number % 10 = 6, ',"opens":1,"isFirst":true,"countsAsOpen":true', ''),
      if(number % 10 = 9, ',"clicks":1,"isFirst":true,"link":"https://shop.example.com/news/', ''),
      if(number % 10 = 9, concat(toString(email_number % 40), '"'), ''), '}'))
FROM numbers({first:UInt64}, {rows:UInt64})
SETTINGS async_insert = 0, max_partitions_per_insert_block = 0, max_insert_threads = 1,
  min_insert_block_size_rows = 250000, max_block_size = 65536`;

interface EventsOptions {
  /** Project that owns nine of ten events; default `bigProject`. */
  projectId?: string;
  /** Default six hours. */
  campaignSeconds?: number;
}

export async function fillEvents(
  clickhouse: ClickHouse,
  events: number,
  { projectId = bigProject, campaignSeconds = 21_600 }: EventsOptions = {},
): Promise<void> {
  const spreadMs = spreadDays * 86_400_000;
  const startAt = new Date(Date.now() - spreadMs).toISOString().slice(0, -1).replace('T', ' ');
  const parameters = { projectId, campaignSeconds, startAt, stepMs: spreadMs / events };
  for (let first = 0; first < events; first += rowsPerInsert) {
    const rows = Math.min(rowsPerInsert, events - first);
    await clickhouse.command(fillSql, { ...parameters, first, rows });
  }
}
