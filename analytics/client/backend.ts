import type { createClient } from '@clickhouse/client';
import type { Lane } from './lane.ts';

export type Client = ReturnType<typeof createClient>;

/** What differs between a server and the embedded engine. */
export interface Backend {
  readonly reader: Lane<Client>;
  readonly writer: Lane<Client>;
  /** Creates the database when it is missing. */
  createDatabase(): Promise<void>;
  close(): Promise<void>;
}
