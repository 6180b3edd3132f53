import { expect, it, onTestFinished } from 'vitest';
import { migrations } from '../db/migrations/index.ts';
import { createOrm } from '../db/orm.ts';
import { useTestDatabase } from '../test/setup/database.ts';
import { createLogger } from './logger.ts';
import { prepareDatabase } from './prepare-database.ts';

const database = useTestDatabase();

it('logs each migration that it runs, without a warning', async () => {
  await database.sql('drop schema public cascade');
  await database.sql('create schema public');
  const lines: { level: number; migration?: string }[] = [];
  const log = createLogger('info', { write: (line) => lines.push(JSON.parse(line)) });
  const orm = createOrm({ url: database.url, poolSize: 3, warn: (message) => log.warn(message) });
  onTestFinished(() => orm.close());
  await prepareDatabase(orm, database.url, log);
  expect(new Set(lines.map(({ migration }) => migration))).toEqual(
    new Set(migrations.map(({ name }) => name)),
  );
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
});
