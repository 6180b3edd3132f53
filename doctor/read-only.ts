import pg from 'pg';
import type { z } from 'zod';

const connectMs = 5_000;
const statementMs = 5_000;

/** A session that can change nothing and asks nothing that takes longer than five seconds. */
export interface ReadOnly {
  client: pg.Client;
  ask<Row extends z.ZodType>(row: Row, text: string, parameters?: unknown[]): Promise<z.output<Row>[]>;
}

export async function connectReadOnly(url: string): Promise<ReadOnly> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'posthaste-doctor',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + 2_000,
  });
  // A broken connection fails the current or next query, where it is reported.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(
    `set default_transaction_read_only = on; set statement_timeout = ${statementMs}; set lock_timeout = 1000`,
  );
  return {
    client,
    async ask(row, text, parameters = []) {
      const { rows } = await client.query(text, parameters);
      return row.array().parse(rows);
    },
  };
}
