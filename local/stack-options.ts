import type { Logger } from 'pino';
import type { Shutdown } from '../runtime/shutdown.ts';
import type { DataDirectory } from './data-directory.ts';
import type { LocalEnvironment } from './environment.ts';

/** What a local stack is started with. */
export interface StackOptions {
  /** The environment of the process, and what the local stack has read of it. */
  environment: Record<string, string | undefined>;
  settings: LocalEnvironment;
  data: DataDirectory;
  log: Logger;
  /** Takes the parts, so that running it ends API, worker, streams, SES, Temporal and Postgres in this order. */
  shutdown: Shutdown;
  /** Fires when the start is to be given up; children that are up already end by the shutdown. */
  signal: AbortSignal;
  /** Tells the user what takes long. */
  say: (line: string) => void;
  /** A part ended by itself: the stack can't go on. */
  onFailure: (error: unknown) => void;
  /** Told of every child process, so that a forced end can reach it. */
  onChild: (pid: number) => void;
}
