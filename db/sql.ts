import type { Transaction } from '@mikro-orm/core';
import { CompiledQuery, type Kysely, type QueryResult } from 'kysely';
import { z } from 'zod';
import { isRolledBack } from './database-errors.ts';
import { type Em, preparedPoolOf, validatesRows } from './orm.ts';

/**
 * Runs one statement with bound parameters (`$1`, `$2`, …), in the entity manager's transaction if it has one.
 *
 * @param row schema of a row as the driver returns it (instants as `Date`, `bigint` as text), without transforms;
 * checked where `VALIDATE_ROWS` is on, in development and tests
 */
export async function query<Row extends z.ZodType>(
  em: Em,
  row: Row,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<z.output<Row>[]> {
  return checkRows(em, row, (await run(em, text, parameters)).rows);
}

/** Like `query`, for a statement that returns one row or none. */
export async function queryFirst<Row extends z.ZodType>(
  em: Em,
  row: Row,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<z.output<Row> | undefined> {
  const [first] = await query(em, row, text, parameters);
  return first;
}

/** Like `query`, for a statement that always returns one row. */
export async function queryRow<Row extends z.ZodType>(
  em: Em,
  row: Row,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<z.output<Row>> {
  const only = await queryFirst(em, row, text, parameters);
  if (only === undefined) throw new Error('The statement returned no row');
  return only;
}

/** Like `query`, for rows of one column. @param value schema of the column */
export async function queryColumn<Value extends z.ZodType>(
  em: Em,
  value: Value,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<z.output<Value>[]> {
  const rows = await query(em, z.record(z.string(), value), text, parameters);
  // as: a row has a column.
  return rows.map((row) => Object.values(row)[0] as z.output<Value>);
}

/** Like `queryColumn`, for a statement that always returns one row. */
export async function queryValue<Value extends z.ZodType>(
  em: Em,
  value: Value,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<z.output<Value>> {
  const [only] = await queryColumn(em, value, text, parameters);
  if (only === undefined) throw new Error('The statement returned no row');
  return only;
}

/** Like `query`, for statements that change rows. @returns the number of changed rows; 0 for a select */
export async function execute(em: Em, text: string, parameters: readonly unknown[] = []): Promise<number> {
  return Number((await run(em, text, parameters)).numAffectedRows ?? 0n);
}

/** Runs `work` in a transaction with settings of its own, such as `set local jit = off`. */
export function withSettings<Result>(em: Em, settings: string, work: (own: Em) => Promise<Result>) {
  return em.transactional(async (own) => {
    await execute(own, settings);
    return work(own);
  });
}

/**
 * Like `query`, for the few large statements of hot requests: each connection parses and plans the statement once,
 * under `name`, which saves over a millisecond of server CPU per call. Its connections use neither sequential scans nor
 * merge joins, so the statement must find its rows through indexes. In a transaction or behind a pooler, it runs
 * unprepared.
 */
export async function preparedQuery<Row extends z.ZodType>(
  em: Em,
  name: string,
  row: Row,
  text: string,
  parameters: readonly unknown[],
): Promise<z.output<Row>[]> {
  const pool = preparedPoolOf(em);
  if (pool === undefined || em.getTransactionContext() !== undefined) return query(em, row, text, parameters);
  const client = await pool.connect();
  let isLost = false;
  try {
    return checkRows(em, row, (await client.query({ name, text, values: [...parameters] })).rows);
  } catch (error) {
    isLost = !isRolledBack(error);
    throw error;
  } finally {
    client.release(isLost);
  }
}

/** The values of rows as an array per name: parameters of an `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]));

function run(em: Em, text: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>> {
  const transaction: Transaction<Kysely<unknown>> | undefined = em.getTransactionContext();
  const client: Kysely<unknown> = transaction ?? em.getConnection().getClient();
  return client.executeQuery(CompiledQuery.raw(text, [...parameters]));
}

function checkRows<Row extends z.ZodType>(em: Em, row: Row, rows: unknown[]): z.output<Row>[] {
  // as: production trusts the statements that development and tests have validated.
  return validatesRows(em) ? z.array(row).parse(rows) : (rows as z.output<Row>[]);
}

/** Adds a parameter. @returns its placeholder, such as `$3`, without a cast */
export type Bind = (value: unknown) => string;

export function bindInto(parameters: unknown[]): Bind {
  return (value) => `$${parameters.push(value)}`;
}
