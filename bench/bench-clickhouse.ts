import { type ClickHouse, connectClickHouse } from '../analytics/clickhouse.ts';
import { startClickHouse } from '../local/clickhouse.ts';
import { freePort } from '../local/testing/free-port.ts';

export interface BenchClickHouse {
  pid: number;
  /** Environment for processes of the product. */
  environment: Record<string, string>;
  connect(database?: string): ClickHouse;
  stop(): Promise<void>;
}

const password = 'bench';
/** Filling it takes statements that run for minutes. */
const requestTimeoutMs = 600_000;

/** The ClickHouse of `npm start`. */
export async function startBenchClickHouse(directory: string): Promise<BenchClickHouse> {
  const server = await startClickHouse({ directory, port: await freePort(), password, log: () => undefined });
  const { url, pid, stop } = server;
  return {
    pid,
    environment: { CLICKHOUSE_URL: url, CLICKHOUSE_PASSWORD: password },
    connect: (database = 'posthaste') =>
      connectClickHouse({ url, username: 'default', password, database, requestTimeoutMs }),
    stop,
  };
}
