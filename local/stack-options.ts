import type { Logger } from 'pino';
import type { Shutdown } from '../runtime/shutdown.ts';
import type { OnSpawn } from './child-process.ts';
import type { DataDirectory } from './data-directory.ts';
import type { LocalEnvironment } from './environment.ts';

export interface StackOptions {
  environment: Record<string, string | undefined>;
  settings: LocalEnvironment;
  data: DataDirectory;
  log: Logger;
  /** Ends API, worker, streams, SES, Temporal, ClickHouse and Postgres in this order. */
  shutdown: Shutdown;
  /** Aborts the start; children that are already up are ended by the shutdown. */
  signal: AbortSignal;
  say: (line: string) => void;
  onFailure: (error: unknown) => void;
  onChild: OnSpawn;
}
