import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthaste-log-'));
  path = join(directory, 'postgres.log');
});
afterEach(() => rm(directory, { recursive: true }));

it('keeps the log of the last run beside that of this one', async () => {
  for (const line of ['first run', 'second run', 'third run']) {
    const log = openLogFile({ path });
    log.writeLine(line);
    log.close();
  }
  expect(await readFile(path, 'utf8')).toBe('third run\n');
  expect(await readFile(`${path}.1`, 'utf8')).toBe('second run\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('never takes more than twice its bound', async () => {
  const log = openLogFile({ path, maxBytes: 1_000 });
  for (let line = 0; line < 1_000; line += 1) log.writeLine(`line ${line}`);
  log.close();
  const names = await readdir(directory);
  expect(names.toSorted()).toEqual(['postgres.log', 'postgres.log.1']);
  for (const name of names) expect((await stat(join(directory, name))).size).toBeLessThan(1_050);
  expect(await readFile(path, 'utf8')).toMatch(/line 999\n$/);
});

it('does not fail its caller when the disk does', async () => {
  const errors: unknown[] = [];
  const log = openLogFile({ path: '/dev/full', onError: (error) => errors.push(error) });
  log.writeLine('lost');
  log.writeLine('lost too');
  log.close();
  expect(errors).toHaveLength(1);
});

it('says which file can not be opened', async () => {
  await writeFile(join(directory, 'file'), '');
  await chmod(join(directory, 'file'), 0o600);
  expect(() => openLogFile({ path: join(directory, 'file', 'x.log') })).toThrow(
    /file\/x\.log can't be written/,
  );
});
