import { join } from 'node:path';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort } from '../../local/testing/free-port.ts';
import type { CrashablePostgres } from '../setup/own-postgres.ts';

/** A Temporal server that may be killed; its stored data survives. */
export interface TemporalMachine {
  readonly name: string;
  readonly port: number;
  /** Undefined for the development server, which uses a file. */
  readonly database: CrashablePostgres | undefined;
  /** Unexpected exits, with the last line that the server wrote. */
  readonly unexpectedExits: readonly string[];
  kill(): Promise<void>;
  /** Resolves when the server accepts calls. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startDevelopmentServer(directory: string): Promise<TemporalMachine> {
  const options = {
    binary: await findTemporalBinary({ environment: process.env }),
    directory: join(directory, 'temporal'),
    port: await freePort(),
    uiPort: await freePort(),
    log: () => undefined,
  };
  let running: RunningTemporal = await startTemporal(options);
  return {
    name: 'development server',
    port: options.port,
    database: undefined,
    unexpectedExits: [],
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
