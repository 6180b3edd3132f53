import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { appSecret, createTestProject } from '../test/setup/start-test-api.ts';
import { checkAppSecret } from './check-app-secret.ts';
import { createLogger } from './logger.ts';

const database = useTestDatabase();

it('logs that every key gets 401 when APP_SECRET is not that of the database', async () => {
  const lines: unknown[] = [];
  const log = createLogger('info', { write: (line) => lines.push(JSON.parse(line)) });
  await checkAppSecret(database.em(), 'another secret', log);
  await createTestProject(database);
  await checkAppSecret(database.em(), appSecret, log);
  expect(lines).toEqual([]);
  await checkAppSecret(database.em(), 'another secret', log);
  expect(lines).toMatchObject([
    { level: 50, msg: 'APP_SECRET is not that of the database: API keys get 401. Set the old one' },
  ]);
});
