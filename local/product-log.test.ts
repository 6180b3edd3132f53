import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProductLog } from './product-log.ts';
import { until } from './testing/processes.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthaste-product-log-'));
  path = join(directory, 'posthaste.log');
});
afterEach(() => rm(directory, { recursive: true }));

const text = (file: string) => readFile(file, 'utf8').catch(() => '');

it('has written everything when it is closed, and keeps the log of the last run', async () => {
  for (const message of ['first run', 'second run']) {
    const file = openProductLog(path, () => undefined);
    pino({}, file.destination).info(message);
    await file.close();
  }
  expect(await text(path)).toMatch(/"msg":"second run"}\n$/);
  expect(await text(`${path}.1`)).toMatch(/"msg":"first run"}\n$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('exchanges the file when it has grown beyond its bound, without losing a line', async () => {
  const file = openProductLog(path, () => undefined, { maxBytes: 20_000, checkIntervalMs: 20 });
  const log = pino({}, file.destination);
  for (let line = 0; line < 300; line += 1) log.info(`line ${line}`);
  await until(async () => (await stat(`${path}.1`).catch(() => undefined)) !== undefined);
  for (let line = 300; line < 310; line += 1) log.info(`line ${line}`);
  await until(async () => (await text(path)).includes('line 309"'));
  await file.close();
  const lines = `${await text(`${path}.1`)}${await text(path)}`.trimEnd().split('\n');
  expect(lines).toHaveLength(310);
});
