import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import type { Question } from './question.ts';

/** For how many days rows are kept, by table. A table that is not named keeps them for ever. */
export interface Retention {
  /** Names go with their last event. */
  readonly event?: number | undefined;
  readonly figure?: number | undefined;
  readonly email_state?: number | undefined;
}

/** Of each table the retention that holds for it, and the instant from which the age of a row counts. */
const tables = {
  event: { retention: 'event', age: 'toDateTime(occurred_at)' },
  event_name: { retention: 'event', age: 'toDateTime(last_at)' },
  figure: { retention: 'figure', age: 'toDateTime(occurred_at)' },
  // An email's row must not go while events about it still arrive, so it counts from the creation of the email.
  email_state: { retention: 'email_state', age: 'toDateTime(UUIDv7ToDateTime(email_id))' },
} as const;

const tableDefinition: Question<{ table: string }, { definition: string }> = {
  name: 'table-definition',
  sql: `SELECT create_table_query AS definition
    FROM system.tables
    WHERE database = currentDatabase() AND name = {table:String}`,
  row: z.object({ definition: z.string() }),
};

const ttlDays = /\bTTL [^\n]*?toIntervalDay\((\d+)\)/;

/**
 * Changes the TTL of the tables whose retention is another now. Rows go in the background, at merges: those of `event`
 * and `figure` when all of their part have come of age, which is at most a month later.
 */
export async function applyRetention(clickhouse: ClickHouse, retention: Retention): Promise<void> {
  for (const [table, { retention: name, age }] of Object.entries(tables)) {
    const wanted = retention[name];
    const [row] = await clickhouse.query(tableDefinition, { table });
    const found = row?.definition.match(ttlDays)?.[1];
    if (found === (wanted === undefined ? undefined : String(wanted))) continue;
    if (wanted === undefined) {
      await clickhouse.command(`ALTER TABLE ${table} REMOVE TTL`);
      continue;
    }
    if (!Number.isInteger(wanted) || wanted < 1) throw new Error(`Not a number of days: ${wanted}`);
    await clickhouse.command(`ALTER TABLE ${table} MODIFY TTL ${age} + toIntervalDay(${wanted})`);
  }
}
