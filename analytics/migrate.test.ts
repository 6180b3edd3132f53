import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OwnClickHouse, startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { type ClickHouse, connectClickHouse } from './clickhouse.ts';
import { countColumn, type Question } from './client/question.ts';
import { migrateClickHouse } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { eventTable } from './tables/event.ts';
import { type EventInsertRow, toEventLine } from './testing/event-row.ts';

const tables: Question<Record<string, never>, { name: string; definition: string }> = {
  name: 'tables',
  sql: `SELECT name, create_table_query AS definition FROM system.tables
    WHERE database = currentDatabase() ORDER BY name`,
  row: z.object({ name: z.string(), definition: z.string() }),
};

const ledger: Question<Record<string, never>, { version: number }> = {
  name: 'ledger',
  sql: 'SELECT version FROM schema_migration FINAL ORDER BY version',
  row: z.object({ version: countColumn }),
};

const root = mkdtempSync(join(tmpdir(), 'posthaste-migrate-'));
let front: OwnClickHouse;
beforeAll(async () => {
  front = await startOwnClickHouse(root);
});
afterAll(async () => {
  await front.kill();
  rmSync(root, { recursive: true, force: true });
});

let databases = 0;
function connect(database: string): ClickHouse {
  return connectClickHouse({ url: front.url, username: 'default', password: '', database });
}
function freshDatabase(): ClickHouse {
  databases += 1;
  return connect(`fresh_${databases}`);
}

describe('migrateClickHouse', () => {
  it('creates the tables once, however many processes migrate and however often', async () => {
    const store = freshDatabase();
    await migrateClickHouse(store);
    const before = await store.query(tables, {});
    expect(before.map((table) => table.name)).toEqual([
      'day_change',
      'day_change_view',
      'email',
      'email_state',
      'event',
      'event_name',
      'event_name_view',
      'figure',
      'figure_view',
      'request_log',
      'schema_migration',
    ]);
    await migrateClickHouse(store);
    expect(await store.query(tables, {})).toEqual(before);
    expect(await store.query(ledger, {})).toEqual(migrations.map(({ version }) => ({ version })));
  });

  it('can be run by several processes at once', async () => {
    await connect('together').createDatabase();
    const stores = Array.from({ length: 4 }, () => connect('together'));
    await Promise.all(stores.map((store) => migrateClickHouse(store)));
    const [store] = stores;
    expect(await store?.query(ledger, {})).toEqual(migrations.map(({ version }) => ({ version })));
  });

  it('resumes an interrupted run', async () => {
    const store = freshDatabase();
    await store.createDatabase();
    const [first] = migrations;
    for (const statement of first?.statements.slice(0, 2) ?? []) await store.command(statement);
    await migrateClickHouse(store);
    expect((await store.query(tables, {})).map((table) => table.name)).toContain('event_name_view');
  });

  it('sets, changes and removes the retention of a table', async () => {
    const store = freshDatabase();
    const ttls = async () => {
      const found = await store.query(tables, {});
      return found.flatMap(({ name, definition }) => {
        const days = /TTL .*toIntervalDay\((\d+)\)/.exec(definition)?.[1];
        return days === undefined ? [] : [`${name} ${days}`];
      });
    };
    await migrateClickHouse(store, { event: 30 });
    expect(await ttls()).toEqual(['event 30', 'event_name 30', 'request_log 7']);
    await migrateClickHouse(store, { event: 400, figure: 900 });
    expect(await ttls()).toEqual(['event 400', 'event_name 400', 'figure 900', 'request_log 7']);
    await migrateClickHouse(store);
    expect(await ttls()).toEqual(['request_log 7']);
    await expect(migrateClickHouse(store, { event: 0.5 })).rejects.toThrow('Not a number of days');
  });
});

describe('the migration to the view email', () => {
  const emailsOf = (from: string): Question<Record<string, never>, Record<string, unknown>> => ({
    name: 'emails',
    sql: `SELECT * FROM ${from} ORDER BY project_id, email_id`,
    row: z.record(z.string(), z.unknown()),
  });

  async function run(store: ClickHouse, versions: readonly number[]): Promise<void> {
    for (const { version, statements } of migrations) {
      if (versions.includes(version)) for (const statement of statements) await store.command(statement);
    }
  }

  /** The events of an email, one second apart. */
  function emailEvents(projectId: string, ...activities: [type: string, data?: object][]): EventInsertRow[] {
    const [emailId, campaignId, contactId] = [uuidv7(), uuidv7(), uuidv7()];
    return activities.map(([activityType, data], second) => ({
      projectId,
      eventId: uuidv7(),
      occurredAt: new Date(Date.parse('2026-03-01T12:00:00.000Z') + second * 1000),
      name: activityType,
      kind: 'emitted',
      activityType,
      contactId,
      emailId,
      campaignId,
      workflowId: null,
      data: { ...data },
    }));
  }

  it('gives the same answers as the table before it, also for older events', async () => {
    const store = freshDatabase();
    await store.createDatabase();
    await run(store, [1, 2, 3, 4]);
    const [ours, theirs] = [uuidv7(), uuidv7()];
    const lines = [
      ...emailEvents(ours, ['email.sent'], ['email.delivered'], ['email.opened'], ['email.clicked']),
      ...emailEvents(ours, ['email.opened'], ['email.sent'], ['email.opened'], ['event.tracked']),
      ...emailEvents(ours, ['email.sent'], ['email.bounced', { bounceType: 'Transient' }]),
      ...emailEvents(ours, ['email.bounced', { bounceType: 'Permanent' }], ['email.bounced']),
      ...emailEvents(ours, ['email.bounced'], ['email.complained']),
      ...emailEvents(theirs, ['email.sent']),
      ...emailEvents(theirs, ['event.tracked']),
    ].map(toEventLine);
    // Delivered again in separate parts, as the journal may do.
    for (const some of [lines.slice(0, 5), lines.slice(3), lines]) {
      await store.insert(eventTable, some.join('\n'));
    }
    const before = await store.query(emailsOf('email_state FINAL'), {});
    expect(before).toHaveLength(6);

    await migrateClickHouse(store);
    expect(await store.query(emailsOf('email'), {})).toEqual(before);
    expect(await store.query(emailsOf('email_state'), {})).toEqual([]);
    await store.insert(eventTable, emailEvents(ours, ['email.sent']).map(toEventLine).join('\n'));
    expect(await store.query(emailsOf('email'), {})).toHaveLength(7);
    expect(await store.query(emailsOf('email_state'), {})).toEqual([]);
  });

  it('keeps serving processes of the previous version, and one that runs the first migration late', async () => {
    const store = freshDatabase();
    await migrateClickHouse(store);
    await store.command(
      'ALTER TABLE email_state MODIFY TTL toDateTime(UUIDv7ToDateTime(email_id)) + toIntervalDay(30)',
    );
    await store.command(
      `DELETE FROM email_state WHERE project_id = '${uuidv7()}' SETTINGS lightweight_deletes_sync = 2`,
    );

    await run(store, [1]);
    await store.insert(eventTable, emailEvents(uuidv7(), ['email.sent']).map(toEventLine).join('\n'));
    await run(store, [2, 3, 4, 5]);
    expect(await store.query(emailsOf('email'), {})).toHaveLength(1);
    expect(await store.query(emailsOf('email_state'), {})).toEqual([]);
    expect((await store.query(tables, {})).map(({ name }) => name)).not.toContain('email_state_view');
  });
});
