import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectClickHouse, withoutClickHouse } from '../analytics/clickhouse.ts';
import { migrateClickHouse } from '../analytics/migrate.ts';
import { eventStats } from '../analytics/questions/event-stats.ts';
import { startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { eventually } from '../test/setup/eventually.ts';
import { openJournalStage } from './testing/journal-stage.ts';

const root = mkdtempSync(join(tmpdir(), 'posthaste-outage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the journal stream over an outage', () => {
  it('loses and duplicates nothing while ClickHouse is killed again and again', async () => {
    const directory = join(root, 'server');
    let front = await startOwnClickHouse(directory);
    onTestFinished(() => front.kill());
    const server = { url: front.url, username: 'default', password: '', database: 'shop' };
    const clickhouse = connectClickHouse(server);
    await migrateClickHouse(clickhouse);
    const stage = await openJournalStage(clickhouse);
    onTestFinished(() => stage.close());
    const streamer = stage.stream({ batchRows: 50 });

    let written = 0;
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 5; n++) {
        await stage.write(Array.from({ length: 40 }, (_, row) => ({ name: `name ${row % 4}` })));
        written += 40;
      }
      await delay(30);
      await front.kill();
      await stage.write([{ name: 'while away' }]);
      written += 1;
      await eventually(
        async () => stage.logged,
        (lines) => lines.filter((line) => line.msg === 'the journal stream was interrupted').length > round,
      );
      front = await startOwnClickHouse(directory, front.port);
    }
    await eventually(
      () => stage.streamed(2 * written),
      (rows) => rows.length >= written,
    );
    const { projectId } = stage;
    const today = { startDate: new Date(Date.now() - 86_400_000), endDate: new Date(Date.now() + 60_000) };
    const stats = await eventStats(clickhouse, { projectId, ...today });
    expect(stats.total).toBe(written);
    expect(stats.byName.find(({ name }) => name === 'name 1')?.count).toBe(150);
    expect(streamer.isActive).toBe(true);
  });

  it('reports its lag while ClickHouse is down', async () => {
    const stage = await openJournalStage(withoutClickHouse());
    await stage.write([{ id: uuidv7({ msecs: Date.now() - 60_000 }) }, {}]);
    const streamer = stage.stream();
    const lag = await eventually(
      async () => streamer.lag,
      ({ measuredAt }) => measuredAt !== undefined,
    );
    expect(lag.rowsBehind).toBe(2);
    expect(lag.secondsBehind).toBeGreaterThanOrEqual(60);
    await stage.close();
  });

  it('starts before Postgres and ClickHouse are up, and stops while they are down', async () => {
    const away = connectClickHouse({
      url: 'http://127.0.0.1:9',
      username: 'default',
      password: '',
      database: 'shop',
    });
    const stage = await openJournalStage(away);
    const streamer = stage.stream({ databaseUrl: 'postgres://nobody@127.0.0.1:9/nothing' });
    await eventually(
      async () => stage.logged,
      (lines) => lines.length >= 2,
    );
    expect(streamer.lag).toMatchObject({ measuredAt: undefined });
    await streamer.stop();
    await stage.close();
    await away.close();
  });
});
