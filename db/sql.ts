import type { Transaction } from '@mikro-orm/core';
import { CompiledQuery, type Kysely } from 'kysely';
import { isRolledBack } from './batching/is-rolled-back.ts';
import { type Em, lookupPoolOf } from './orm.ts';

/**
 * Runs one statement with bound parameters (`$1`, `$2`, …), inside the entity manager's transaction when it has
 * one. For set-based statements; the caller states the row type that its own SQL returns.
 */
export async function sql<Row>(em: Em, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const context: Transaction<Kysely<unknown>> | undefined = em.getTransactionContext();
  const client = context ?? em.getConnection().getClient();
  const result = await client.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return result.rows;
}

/**
 * As `sql`, for the few large statements of the hot requests: a connection parses and plans the statement once and
 * keeps it under `name`, which saves more than a millisecond of the server's CPU a call. It runs on connections
 * whose planner knows no scans and no merge joins, so it must find its rows through indexes. In a transaction it
 * runs like any other statement.
 */
export async function preparedSql<Row>(
  em: Em,
  name: string,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  if (em.getTransactionContext() !== undefined) return sql(em, text, parameters);
  const client = await lookupPoolOf(em).connect();
  let isLost = false;
  try {
    return (await client.query<Row & object>({ name, text, values: [...parameters] })).rows;
  } catch (error) {
    isLost = !isRolledBack(error);
    throw error;
  } finally {
    client.release(isLost);
  }
}
