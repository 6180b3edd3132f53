import type { ClickHouse } from '../analytics/clickhouse.ts';
import { nilId } from '../core/nil-id.ts';

interface Feed {
  projectId: string;
  start: Date;
  days: number;
  events: number;
}

const otherProject = '01900000-0000-7000-8000-000000000002';

const cycle = [
  ['email.sent', 'email.sent'],
  ['email.delivery', 'email.delivered'],
  ['email.open', 'email.opened'],
  ['email.click', 'email.clicked'],
  ['page viewed', 'event.tracked'],
  ['page viewed', 'event.tracked'],
  ['order placed', 'event.tracked'],
  ['email.sent', 'email.sent'],
  ['email.delivery', 'email.delivered'],
  ['email.open', 'email.opened'],
];
const list = (values: (string | undefined)[]) => `[${values.map((value) => `'${value}'`).join(', ')}]`;

/** Fills ClickHouse with events, 95 % of them in one project. */
export async function fillFeed(clickhouse: ClickHouse, feed: Feed): Promise<void> {
  const stepMs = (feed.days * 86_400_000) / feed.events;
  const batch = 100_000;
  for (let offset = 0; offset < feed.events; offset += batch) {
    await clickhouse.command(`
      INSERT INTO event
      WITH
        number + ${offset} AS n,
        ${list(cycle.map(([name]) => name))}[n % 10 + 1] AS event,
        startsWith(event, 'email.') AS is_email,
        intDiv(n, 10) * 2 + intDiv(n % 10, 7) AS email,
        -- The first 48 bits of an id are the milliseconds at which it was made, as in the ids of real emails.
        leftPad(hex(toUInt64(${feed.start.getTime()} + intDiv(n, 10) * ${stepMs * 10})), 12, '0') AS made,
        concat(substring(made, 1, 8), '-', substring(made, 9, 4), '-7000-8000-', leftPad(hex(email), 12, '0')) AS id
      SELECT
        toUUID(if(n % 20 < 19, '${feed.projectId}', '${otherProject}')),
        reinterpretAsUUID(sipHash128(n)),
        fromUnixTimestamp64Milli(toInt64(${feed.start.getTime()} + n * ${stepMs}), 'UTC'),
        event,
        if(is_email, 'emitted', 'tracked'),
        ${list(cycle.map(([, type]) => type))}[n % 10 + 1],
        reinterpretAsUUID(sipHash128(n % 100000, 1)),
        toUUID(if(is_email, id, '${nilId}')),
        toUUID('${nilId}'),
        toUUID('${nilId}'),
        concat('{"emailId": "', id, '", "messageId": "0100019', toString(n), '", "subject": "Hello number ',
          toString(n % 1000), '", "from": "news@shop.example.com", "sourceType": "CAMPAIGN"}')
      FROM numbers(${Math.min(batch, feed.events - offset)})
      SETTINGS async_insert = 0`);
  }
}
