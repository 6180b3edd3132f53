import pg from 'pg';
import type { z } from 'zod';

const connectMs = 5_000;
const statementMs = 5_000;

export type ReadOnly = Awaited<ReturnType<typeof connectReadOnly>>;

/**
 * A session that can change nothing, with statements of at most five seconds. The limits are set per transaction:
 * behind a pooler, session settings would leak to others.
 */
export async function connectReadOnly(url: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'posthaste-doctor',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + 2_000,
  });
  // A broken connection fails the current or next query, where it is reported.
  client.on('error', () => undefined);
  await client.connect();
  async function within<Answer>(work: (inner: pg.Client) => Promise<Answer>): Promise<Answer> {
    await client.query(
      `begin read only; set local statement_timeout = ${statementMs}; set local lock_timeout = 1000`,
    );
    try {
      return await work(client);
    } finally {
      await client.query('rollback').catch(() => undefined);
    }
  }
  return {
    client,
    within,
    async ask<Row extends z.ZodType>(row: Row, text: string, parameters: unknown[] = []) {
      const { rows } = await within((inner) => inner.query(text, parameters));
      return row.array().parse(rows);
    },
  };
}
