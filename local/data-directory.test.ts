import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataDirectory } from './data-directory.ts';
import { LocalStackError } from './failure.ts';
import { processStartTime } from './process-identity.ts';
import { processState, startTestProcess, type TestProcess, until } from './testing/processes.ts';

const holderScript = fileURLToPath(new URL('./testing/hold-data-directory.ts', import.meta.url));
let directory: string;
const children: TestProcess[] = [];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'posthaste-data-')), 'data');
});
afterEach(async () => {
  for (const { child } of children.splice(0)) child.kill('SIGKILL');
  await rm(join(directory, '..'), { recursive: true });
});

function start(command: string, args: string[]): TestProcess {
  const started = startTestProcess(command, args, { env: { PATH: process.env.PATH } });
  children.push(started);
  return started;
}

it('generates secrets once, readable only by us', async () => {
  const first = await openDataDirectory(directory);
  first.release();
  const second = await openDataDirectory(directory);
  second.release();
  expect(first.secrets.appSecret).toMatch(/^[\w-]{43}$/);
  expect(second.secrets).toEqual(first.secrets);
  expect((await stat(join(directory, 'secrets.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(directory)).mode & 0o077).toBe(process.getuid?.() === 0 ? 0o011 : 0);
});

it('adds the secret that an older version did not have', async () => {
  const older = { appSecret: 's'.repeat(43), postgresPassword: 'p' };
  await mkdir(directory);
  await writeFile(join(directory, 'secrets.json'), JSON.stringify(older));
  const first = await openDataDirectory(directory);
  expect(first.secrets).toEqual({ ...older, clickhousePassword: expect.stringMatching(/^[\w-]{32}$/) });
  first.release();
  const second = await openDataDirectory(directory);
  expect(second.secrets).toEqual(first.secrets);
  second.release();
});

it('refuses damaged secrets rather than generating new ones', async () => {
  (await openDataDirectory(directory)).release();
  await writeFile(join(directory, 'secrets.json'), '{"appSecret":');
  await expect(openDataDirectory(directory)).rejects.toThrow(/secrets\.json is damaged/);
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).toBe('{"appSecret":');
});

it('says so when the disk is nearly full', async () => {
  const opening = openDataDirectory(directory, { minimumFreeBytes: Number.MAX_SAFE_INTEGER });
  await expect(opening).rejects.toThrow(LocalStackError);
  await expect(opening).rejects.toThrow(/^Only \d+ MB are free on the disk that holds .*set DATA_DIR/);
});

it('says so when the folder cannot be created', async () => {
  await writeFile(directory, '');
  await expect(openDataDirectory(join(directory, 'below'))).rejects.toThrow(
    /can't be written: a file is in the way/,
  );
});

describe('the lock', () => {
  it('names the process that has the folder', async () => {
    const holder = start(process.execPath, [holderScript, directory]);
    await holder.waitFor(/holding/);
    await expect(openDataDirectory(directory)).rejects.toThrow(
      `Posthaste is already running on ${directory} (process ${holder.pid})`,
    );
  });

  it('holds within one process too', async () => {
    const held = await openDataDirectory(directory);
    await expect(openDataDirectory(directory)).rejects.toThrow('already running');
    held.release();
    held.release();
    (await openDataDirectory(directory)).release();
  });

  it('is free immediately when its process was killed, even while that is a zombie', async () => {
    // The shell becomes a program that never collects its children, so the killed holder stays a zombie.
    const script = `"${process.execPath}" "${holderScript}" "${directory}" & exec sleep 60`;
    const parent = start('/bin/sh', ['-c', script]);
    const pid = Number((await parent.waitFor(/holding as (\d+)/))[1]);
    await expect(openDataDirectory(directory)).rejects.toThrow(`process ${pid}`);
    process.kill(pid, 'SIGKILL');
    await until(() => processState(pid) === 'Z');
    expect(processStartTime(pid)).toBeUndefined();
    (await openDataDirectory(directory)).release();
  });

  it('is not held by a process that merely reuses the id of the previous holder', async () => {
    (await openDataDirectory(directory)).release();
    await writeFile(join(directory, 'posthaste.pid'), `${process.pid}\n`);
    (await openDataDirectory(directory)).release();
  });

  it('waits for a process that is ending, and says so once', async () => {
    const holder = start(process.execPath, [holderScript, directory, '700']);
    await holder.waitFor(/holding/);
    holder.child.kill('SIGTERM');
    await holder.waitFor(/ending/);
    const said: string[] = [];
    const opened = await openDataDirectory(directory, { say: (text) => said.push(text) });
    opened.release();
    expect(said).toEqual([
      `Posthaste is still shutting down in ${directory} (process ${holder.pid}); waiting for it …`,
    ]);
    expect(await holder.exit).toEqual({ code: 0, signal: null });
  });

  it('waits no longer than allowed, and takes over immediately when that process is killed', async () => {
    const holder = start(process.execPath, [holderScript, directory, '60000']);
    await holder.waitFor(/holding/);
    holder.child.kill('SIGTERM');
    await holder.waitFor(/ending/);
    await expect(openDataDirectory(directory, { endingMs: 300 })).rejects.toThrow(
      `Posthaste (process ${holder.pid}) has been shutting down in ${directory} for longer than 0.3 seconds`,
    );
    const opening = openDataDirectory(directory);
    holder.child.kill('SIGKILL');
    (await opening).release();
  });

  it('lets exactly one of several waiting starts through', async () => {
    const holder = start(process.execPath, [holderScript, directory, '500']);
    await holder.waitFor(/holding/);
    holder.child.kill('SIGTERM');
    await holder.waitFor(/ending/);
    const opened = await Promise.allSettled([1, 2, 3].map(() => openDataDirectory(directory)));
    const fulfilled = opened.filter((one) => one.status === 'fulfilled');
    expect(fulfilled).toHaveLength(1);
    for (const one of opened) {
      if (one.status === 'rejected')
        expect(String(one.reason)).toContain(`is already running on ${directory}`);
    }
    fulfilled[0]?.value.release();
  });

  it('lets exactly one of many simultaneous starts through', async () => {
    const starts = Array.from({ length: 6 }, () => spawn(process.execPath, [holderScript, directory]));
    const outcomes = await Promise.all(
      starts.map(
        (child) =>
          new Promise<string>((resolve) => {
            child.stdout.once('data', () => resolve('holds'));
            child.once('exit', () => resolve('refused'));
          }),
      ),
    );
    for (const child of starts) child.kill('SIGKILL');
    expect(outcomes.toSorted()).toEqual(['holds', ...Array(5).fill('refused')]);
  });
});
