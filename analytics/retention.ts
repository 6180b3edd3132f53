import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import type { Question } from './client/question.ts';

/** Days to keep rows, by table; undefined keeps them indefinitely. */
export interface Retention {
  readonly event?: number | undefined;
  readonly figure?: number | undefined;
}

const tables = {
  event: { retention: 'event', age: 'toDateTime(occurred_at)' },
  event_name: { retention: 'event', age: 'toDateTime(last_at)' },
  figure: { retention: 'figure', age: 'toDateTime(occurred_at)' },
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
 * Updates the TTL of tables whose retention has changed. Rows expire in background merges; in `event` and `figure`
 * only when their whole part has expired, at most a month later.
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
