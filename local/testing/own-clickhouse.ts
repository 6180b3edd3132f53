import { type RunningClickHouse, startClickHouse } from '../clickhouse.ts';
import { sendSignal } from '../process-identity.ts';
import { freePort } from './free-port.ts';

export interface OwnClickHouse extends RunningClickHouse {
  readonly port: number;
  kill(): Promise<void>;
}

/** A ClickHouse without a password that a test may stop and kill. It keeps the data of an existing folder. */
export async function startOwnClickHouse(directory: string, port?: number): Promise<OwnClickHouse> {
  const actualPort = port ?? (await freePort());
  const server = await startClickHouse({ directory, port: actualPort, password: '', log: () => undefined });
  return {
    ...server,
    port: actualPort,
    async kill() {
      sendSignal(-server.pid, 'SIGKILL');
      await server.exited;
    },
  };
}
