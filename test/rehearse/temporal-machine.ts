import { join } from 'node:path';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort } from '../../local/testing/free-port.ts';

/** The development server; its database file outlives it. */
export interface TemporalMachine {
  readonly port: number;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startTemporalMachine(directory: string): Promise<TemporalMachine> {
  const options = {
    binary: await findTemporalBinary({ environment: process.env }),
    directory: join(directory, 'temporal'),
    port: await freePort(),
    uiPort: await freePort(),
    log: () => undefined,
  };
  let running: RunningTemporal = await startTemporal(options);
  return {
    port: options.port,
    async kill() {
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
    },
    async start() {
      running = await startTemporal(options);
    },
    close: () => running.stop(),
  };
}
