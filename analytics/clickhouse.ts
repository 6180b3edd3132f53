import { Readable } from 'node:stream';
import { type ClickHouseOptions, type Connection, openConnection } from './client/connection.ts';
import { ClickHouseUnavailable, toClickHouseError } from './client/errors.ts';
import type { QueryParameters, Question } from './client/question.ts';
import { type InsertTarget, insertStatement, type Settings, withSettings } from './client/statement.ts';

/**
 * The read model for activity and analytics, over ClickHouse's HTTP interface.
 * Every call throws `ClickHouseUnavailable` when the store is unreachable or temporarily unable to answer, and
 * `ClickHouseRefused` when it rejects the statement.
 */
export interface ClickHouse {
  /** False for a deployment without ClickHouse. */
  readonly isConfigured: boolean;
  query<Parameters extends QueryParameters, Row>(
    question: Question<Parameters, Row>,
    parameters: Parameters,
  ): Promise<Row[]>;
  /**
   * Inserts rows, each a line of tab-separated values (`tsvValue`), joined by line feeds. Returns once the rows and
   * those of the views are stored. After an error they may or may not be stored: retry the whole call.
   */
  insert(target: InsertTarget, lines: string): Promise<void>;
  /**
   * Runs a statement without a result, such as DDL. Settings must be part of its text.
   *
   * @param parameters for typed placeholders (`{name:Type}`)
   */
  command(statement: string, parameters?: QueryParameters): Promise<void>;
  createDatabase(): Promise<void>;
  /** Never throws. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Settings of every query: instants in ISO form, 64-bit numbers unquoted. */
const questionSettings: Settings = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  // Rows with the same key are always in one partition, so FINAL need not compare partitions.
  do_not_merge_across_partitions_select_final: 1,
};

/**
 * Synchronous inserts: stored on return. Repeated batches are inserted again rather than deduplicated, since
 * deduplication would also skip views that the first attempt did not reach; the tables merge repeated rows.
 */
const insertSettings: Settings = {
  async_insert: 0,
  insert_deduplicate: 0,
  max_partitions_per_insert_block: 0,
};

const defaultTimeoutMs = 10_000;
/** Time for transferring an answer, on top of ClickHouse's own limit for the question. */
const answerMs = 5_000;
const pingMs = 5_000;

/** The first statement connects, so this succeeds while ClickHouse is down. */
export function connectClickHouse(options: ClickHouseOptions): ClickHouse {
  if (!/^\w+$/.test(options.database)) throw new Error(`Invalid database name: ${options.database}`);
  return clickHouseOver(openConnection(options));
}

/** For deployments without ClickHouse: every call but `ping` and `close` throws ClickHouseUnavailable. */
export function withoutClickHouse(): ClickHouse {
  const refuse = () => Promise.reject(new ClickHouseUnavailable('No ClickHouse is configured'));
  return {
    isConfigured: false,
    query: refuse,
    insert: refuse,
    command: refuse,
    createDatabase: refuse,
    ping: async () => false,
    close: async () => undefined,
  };
}

function clickHouseOver(connection: Connection): ClickHouse {
  return {
    isConfigured: true,
    async query(question, parameters) {
      const rows = await guarded(() => ask(connection, question, parameters));
      return rows.map((row) => question.row.parse(row));
    },
    async insert(target, lines) {
      if (lines === '') return;
      const query = insertStatement(target, {
        ...insertSettings,
        log_comment: `insert into ${target.table}`,
      });
      const values = Readable.from([`${lines}\n`], { objectMode: false });
      await guarded(() => connection.execute({ query, values }, target.timeoutMs));
    },
    async command(statement, parameters) {
      const values = parameters && { query_params: { ...parameters } };
      await guarded(() => connection.execute({ query: statement, ...values }));
    },
    createDatabase: () => guarded(() => connection.createDatabase()),
    async ping() {
      try {
        const ping = connection.run(
          (client, abort_signal) => client.ping({ select: true, abort_signal }),
          pingMs,
        );
        return (await ping).success;
      } catch {
        return false;
      }
    },
    close: () => connection.close(),
  };
}

async function ask<Parameters extends QueryParameters>(
  connection: Connection,
  question: Question<Parameters, unknown>,
  parameters: Parameters,
): Promise<unknown[]> {
  const { timeoutMs = defaultTimeoutMs } = question;
  const query = withSettings(question.sql, {
    ...questionSettings,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    log_comment: question.name,
  });
  return connection.run(async (client, signal) => {
    const asked = {
      query,
      query_params: { ...parameters },
      format: 'JSONEachRow',
      abort_signal: signal,
    } as const;
    const result = await client.query(asked);
    // From here on, the client no longer watches the signal.
    const close = () => result.close();
    signal.addEventListener('abort', close);
    try {
      return await result.json();
    } finally {
      // The signal lives until the time limit, and holds what listens to it.
      signal.removeEventListener('abort', close);
    }
  }, timeoutMs + answerMs);
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toClickHouseError(error);
  }
}
