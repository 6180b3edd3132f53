import pg from 'pg';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll } from 'vitest';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { type EventRow, listEvents } from '../../analytics/questions/event-listings.ts';
import { openTestClickHouse } from '../../test/setup/clickhouse.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { testFixture } from '../../test/setup/fixtures.ts';
import { JournalStreamer, type JournalStreamerOptions } from '../streamer.ts';

export interface StagedEvent {
  id?: string;
  name?: string;
  kind?: 'tracked' | 'emitted' | 'activity';
  contactId?: string;
  emailId?: string;
  /** JSON text, to allow values that JavaScript can't represent. */
  data?: string;
  occurredAt?: Date;
}

export interface JournalStage {
  projectId: string;
  databaseUrl: string;
  em: TestDatabase['em'];
  client: pg.Client;
  clickhouse: ClickHouse;
  logged: Record<string, unknown>[];
  stream(options?: Partial<JournalStreamerOptions>): JournalStreamer;
  write(events: StagedEvent[], session?: pg.Client): Promise<string[]>;
  openSession(): Promise<pg.Client>;
  streamed(limit?: number): Promise<EventRow[]>;
  close(): Promise<void>;
}

/** A stage for each test, with its own project and database. Those of a file share a ClickHouse database. */
export function useJournalStage(): JournalStage {
  let clickhouse: ClickHouse;
  beforeAll(async () => {
    clickhouse = await openTestClickHouse();
    return () => clickhouse.close();
  });
  return testFixture(
    () => openJournalStage(clickhouse),
    ({ close }) => close(),
  );
}

export async function openJournalStage(clickhouse?: ClickHouse): Promise<JournalStage> {
  const database = await createTestDatabase();
  const store = clickhouse ?? (await openTestClickHouse());
  const projectId = uuidv7();
  const sessions: pg.Client[] = [];
  const streamers: JournalStreamer[] = [];
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });

  async function openSession(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: database.url });
    session.on('error', () => undefined);
    await session.connect();
    sessions.push(session);
    return session;
  }
  const client = await openSession();

  return {
    projectId,
    databaseUrl: database.url,
    em: database.em,
    client,
    clickhouse: store,
    logged,
    openSession,
    stream(options) {
      const defaults = { databaseUrl: database.url, clickhouse: store, log, pollIntervalMs: 20 };
      const streamer = new JournalStreamer({ ...defaults, ...options });
      streamers.push(streamer);
      return streamer;
    },
    async write(events, session = client) {
      const rows = events.map((event) => ({
        id: uuidv7(),
        name: 'page viewed',
        kind: 'tracked',
        occurredAt: new Date(),
        data: '{}',
        ...event,
      }));
      const columns = (key: keyof (typeof rows)[number]) => rows.map((row) => row[key] ?? null);
      await session.query(
        `insert into events (project_id, id, name, kind, contact_id, email_id, data, occurred_at)
        select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::jsonb[], $8::timestamptz[])`,
        [
          projectId,
          columns('id'),
          columns('name'),
          columns('kind'),
          columns('contactId'),
          columns('emailId'),
          columns('data'),
          columns('occurredAt'),
        ],
      );
      return rows.map((row) => row.id);
    },
    streamed: (limit = 1000) => listEvents(store, { projectId, limit }),
    async close() {
      await Promise.all(streamers.map((streamer) => streamer.stop()));
      await Promise.all(sessions.map((session) => session.end()));
      if (clickhouse === undefined) await store.close();
      await database.close();
    },
  };
}
