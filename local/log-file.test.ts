import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';
import { until } from './testing/processes.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthaste-log-'));
  path = join(directory, 'posthaste.log');
});
afterEach(() => rm(directory, { recursive: true }));

const text = (file: string) => readFile(file, 'utf8').catch(() => '');

describe.each([{ isBuffered: false }, { isBuffered: true }])('a log ($isBuffered)', ({ isBuffered }) => {
  it('has written everything when it is closed, and keeps the log of the last run', async () => {
    for (const message of ['first run', 'second run', 'third run']) {
      const file = openLogFile(path, { maxBytes: 1_000_000, isBuffered });
      pino({}, file.destination).info(message);
      await file.close();
    }
    expect(await text(path)).toMatch(/"msg":"third run"}\n$/);
    expect(await text(`${path}.1`)).toMatch(/"msg":"second run"}\n$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('starts a new file beyond the size limit, without losing a line', async () => {
    const file = openLogFile(path, { maxBytes: 20_000, isBuffered, checkIntervalMs: 20 });
    const log = pino({}, file.destination);
    for (let line = 0; line < 300; line += 1) log.info(`line ${line}`);
    await until(async () => (await stat(`${path}.1`).catch(() => undefined)) !== undefined);
    for (let line = 300; line < 310; line += 1) log.info(`line ${line}`);
    await until(async () => (await text(path)).includes('line 309"'));
    await file.close();
    expect((await readdir(directory)).toSorted()).toEqual(['posthaste.log', 'posthaste.log.1']);
    const lines = `${await text(`${path}.1`)}${await text(path)}`.trimEnd().split('\n');
    expect(lines).toHaveLength(310);
  });
});

it('has a line on disk as soon as it is written, unless it is buffered', async () => {
  const file = openLogFile(path, { maxBytes: 1_000_000 });
  file.destination.write('survives a crash\n');
  expect(await text(path)).toBe('survives a crash\n');
  await file.close();
});

it('does not fail its caller when the disk does', async () => {
  const file = openLogFile('/dev/full', { maxBytes: 1_000_000 });
  file.destination.write('lost\n');
  file.destination.write('lost too\n');
  await file.close();
});

it('names the file that cannot be opened', async () => {
  await writeFile(join(directory, 'file'), '');
  await chmod(join(directory, 'file'), 0o600);
  const open = () => openLogFile(join(directory, 'file', 'x.log'), { maxBytes: 1_000_000 });
  expect(open).toThrow(/file\/x\.log can't be written/);
});
