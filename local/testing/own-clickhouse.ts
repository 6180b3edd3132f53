import { type RunningClickHouse, startClickHouse } from '../clickhouse.ts';
import { sendSignal } from '../process-identity.ts';
import { freePort } from './free-port.ts';

export interface OwnClickHouse extends RunningClickHouse {
  readonly port: number;
  kill(): Promise<void>;
}

/** A ClickHouse that a test may stop and kill, without a password. On a folder of before it has what was stored there. */
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
