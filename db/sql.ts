import type { Transaction } from '@mikro-orm/core';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Em } from './orm.ts';

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
