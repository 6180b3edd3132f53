import type { createClient } from '@clickhouse/client';
import type { Lane } from './lane.ts';

export type Client = ReturnType<typeof createClient>;

export interface Backend {
  readonly reader: Lane<Client>;
  readonly writer: Lane<Client>;
  createDatabase(): Promise<void>;
  close(): Promise<void>;
}
