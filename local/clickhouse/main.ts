/** ClickHouse of `npm start`: chDB behind ClickHouse's HTTP interface, in its own process. */
import { once } from 'node:events';
import { type Engine, openEngine } from './engine.ts';
import { createClickHouseServer } from './server.ts';

const { CLICKHOUSE_DIRECTORY = '', CLICKHOUSE_PORT, CLICKHOUSE_PASSWORD = '' } = process.env;
const memoryLimitBytes = Number(process.env.CLICKHOUSE_MEMORY_LIMIT_BYTES ?? 1_000_000_000);

const engine = open();
const server = createClickHouseServer(engine, { user: 'default', password: CLICKHOUSE_PASSWORD });
server.listen(Number(CLICKHOUSE_PORT ?? 8123), '127.0.0.1');
await once(server, 'listening');

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const closed = once(server, 'close');
  server.close();
  await engine.close();
  server.closeIdleConnections();
  await closed;
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

process.stdout.write('ClickHouse is ready\n');

function open(): Engine {
  try {
    return openEngine({ directory: CLICKHOUSE_DIRECTORY, memoryLimitBytes });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${CLICKHOUSE_DIRECTORY} can't be opened: ${reason}\n`);
    return process.exit(1);
  }
}
