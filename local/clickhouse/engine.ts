import { mkdirSync } from 'node:fs';
import { drainPending, Session } from 'chdb';
import { Connections } from './connections.ts';
import { StatementError } from './statement-error.ts';

export interface EngineOptions {
  /** Created when missing. Only one process may open it. */
  directory: string;
  /** Statements and merges that would exceed it are refused. */
  memoryLimitBytes: number;
}

export type Engine = ReturnType<typeof openEngine>;

const readers = 4;
const writers = 4;

/** The engine's default is 5 GB per cache, sized for a dedicated machine. */
const cacheBytes = 32 * 1024 * 1024;

const caches = ['mark', 'primary_index', 'index_mark', 'query_condition', 'compiled_expression'];

const engineArguments = ({ memoryLimitBytes }: EngineOptions) => [
  `--max_server_memory_usage=${memoryLimitBytes}`,
  ...caches.map((cache) => `--${cache}_cache_size=${cacheBytes}`),
];

/**
 * Opens chDB, a ClickHouse in this process. A connection runs one statement at a time, so reads have their own: all
 * other statements may take long.
 *
 * @throws Error when another process has the folder open
 */
export function openEngine(options: EngineOptions) {
  mkdirSync(options.directory, { recursive: true });
  const open = () => new Session(options.directory);
  // The engine takes its arguments from the first connection.
  const first = new Session(options.directory, { connectionArgs: engineArguments(options) });
  const reading = [first, ...Array.from({ length: readers - 1 }, open)];
  const writing = Array.from({ length: writers }, open);
  const pools = { read: new Connections(reading), write: new Connections(writing) };
  const databases = new WeakMap<Session, string>();

  async function runOn(session: Session, statement: string, database: string): Promise<Uint8Array> {
    if (databases.get(session) !== database) {
      databases.delete(session);
      await session.queryAsync(`USE \`${database}\``);
      databases.set(session, database);
    }
    return (await session.queryAsync(statement, { format: 'TabSeparated' })).bytes();
  }

  return {
    /** @param gone aborts the wait for a connection */
    async run(statement: string, database: string, gone: AbortSignal) {
      return pools[poolOf(statement)].use(gone, (session) => runOn(session, statement, database));
    },
    async close() {
      // Closing a connection during a statement aborts the engine, and with it the process.
      await Promise.all([pools.read.close(), pools.write.close()]);
      for (const session of [...writing, ...reading.toReversed()]) session.close();
      await drainPending();
    },
  };
}

const firstWord = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/|\()*(\w+)/s;
const readingWords = /^(select|with|show|describe|desc|explain|exists|check)$/i;

function poolOf(statement: string): 'read' | 'write' {
  const [, word = ''] = firstWord.exec(statement) ?? [];
  if (/^(set|use)$/i.test(word)) {
    throw new StatementError(
      48,
      'NOT_IMPLEMENTED',
      'SET and USE would affect later statements of others: put settings into the SETTINGS clause, and the database into the URL',
    );
  }
  return readingWords.test(word) ? 'read' : 'write';
}
