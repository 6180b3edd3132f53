import { join } from 'node:path';
import { type RunningTemporal, startTemporal } from '../../local/temporal.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { freePort } from '../../local/testing/free-port.ts';
import type { CrashablePostgres } from '../setup/own-postgres.ts';

/** A Temporal that may be killed; what it stored outlives it. */
export interface TemporalMachine {
  readonly name: string;
  readonly port: number;
  /** The development server has a file instead. */
  readonly database: CrashablePostgres | undefined;
  /** Ends that nobody asked for, with the last line that it wrote. */
  readonly ownEnds: readonly string[];
  kill(): Promise<void>;
  /** Resolves when it serves. */
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
    ownEnds: [],
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
