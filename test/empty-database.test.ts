import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { freePort } from '../local/testing/free-port.ts';
import { useTestDatabase } from './setup/database.ts';
import { startApiProcess, startWorkerProcess } from './setup/processes.ts';

const database = useTestDatabase(2);

it('is set up by the first processes, without errors about commands', async () => {
  const schemas = await database.sql<{ name: string }>(
    "select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema)'",
  );
  for (const { name } of schemas) await database.sql(`drop schema "${name}" cascade`);
  await database.sql('create schema public');
  const environment = {
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    APP_SECRET: randomUUID(),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `empty-${randomUUID()}`,
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    SES_ENDPOINT: 'http://127.0.0.1:1',
  };
  const processes = await Promise.all([startApiProcess(environment), startWorkerProcess(environment)]);
  for (const process of processes) expect(await process.stop()).toBe(0);
  for (const { output } of processes) {
    expect(output).toContain('"msg":"ending"');
    expect(output).not.toContain('Commands to Temporal');
  }
});
