import { queryObjects } from 'node:v8';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { eventually } from '../test/setup/eventually.ts';
import { DatabaseListener } from './database-listener.ts';

const database = useTestDatabase();

const countPromises = () => queryObjects(Promise, { format: 'count' });

it('keeps nothing of a heartbeat', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const beats = async (count: number) => {
    query.mockClear();
    await eventually(async () => query.mock.calls.length >= count, true);
    // It holds the answers.
    query.mockClear();
  };
  const changes = new DatabaseListener({ databaseUrl: database.url, warn: () => undefined, heartbeatMs: 1 });
  changes.start();
  onTestFinished(() => changes.close());

  await beats(20);
  const before = countPromises();
  await beats(300);
  expect(countPromises() - before).toBeLessThan(100);
});
