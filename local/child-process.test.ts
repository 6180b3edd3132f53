import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChildProcessOptions, startChildProcess, stopLeftoverChild } from './child-process.ts';
import { LocalStackError } from './failure.ts';
import { processesWith, processState, startTestProcess, until } from './testing/processes.ts';

const parentScript = fileURLToPath(new URL('./testing/start-stubborn-child.ts', import.meta.url));
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthaste-child-'));
});
afterEach(() => rm(directory, { recursive: true }));

function shell(script: string, options: Partial<ChildProcessOptions> = {}) {
  return startChildProcess({
    name: 'A program',
    command: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    log: () => undefined,
    ...options,
  });
}

const isGone = (pid: number) => processState(pid) === undefined || processState(pid) === 'Z';
const watchersOf = (pid: number) => processesWith(`posthaste-watcher\0${pid}\0`);

it('passes on every line and gives the child only the environment that it names', async () => {
  const lines: string[] = [];
  const child = await shell('echo one; echo two >&2; printf "%s" "$HOME-$NAME"', {
    environment: { NAME: 'given' },
    log: (line) => lines.push(line),
  });
  const exit = await child.exited;
  expect(lines.toSorted()).toEqual(['-given', 'one', 'two']);
  expect(exit).toMatchObject({ code: 0, requested: false });
});

it('distinguishes an unexpected end from a requested one, and keeps the last lines', async () => {
  const failing = await shell('echo went wrong; exit 3');
  expect(await failing.exited).toEqual({
    code: 3,
    signal: null,
    requested: false,
    lastLines: ['went wrong'],
  });
  const obedient = await shell('exec sleep 300');
  await obedient.stop();
  expect(await obedient.exited).toMatchObject({ signal: 'SIGTERM', requested: true });
});

it('ends a child that ignores the request, and what it has started', async () => {
  const lines: string[] = [];
  const child = await shell("trap '' TERM; sleep 300 & echo $!; wait; wait", {
    stopTimeoutMs: 300,
    log: (line) => lines.push(line),
  });
  await until(() => lines.length === 1);
  const descendant = Number(lines[0]);
  expect(isGone(descendant)).toBe(false);
  const started = Date.now();
  await child.stop();
  expect(Date.now() - started).toBeGreaterThanOrEqual(290);
  expect(isGone(child.pid)).toBe(true);
  expect(isGone(descendant)).toBe(true);
  expect(watchersOf(child.pid)).toEqual([]);
});

it('ends what the child left behind in its group', async () => {
  const lines: string[] = [];
  const child = await shell("(trap '' TERM; exec sleep 300) >/dev/null 2>&1 & echo $!; exec sleep 300", {
    log: (line) => lines.push(line),
  });
  await until(() => lines.length === 1);
  await child.stop();
  await until(() => isGone(Number(lines[0])));
});

it('says which program could not be started', async () => {
  const starting = startChildProcess({
    name: 'Temporal',
    command: '/no/such/program',
    args: [],
    environment: {},
    log: () => undefined,
  });
  await expect(starting).rejects.toThrow(LocalStackError);
  await expect(starting).rejects.toThrow('Temporal could not be started from /no/such/program');
});

it('stops when its signal fires', async () => {
  const abort = new AbortController();
  const child = await shell('exec sleep 300', { signal: abort.signal });
  abort.abort();
  expect(await child.exited).toMatchObject({ requested: true });
  await expect(shell('exec sleep 300', { signal: abort.signal })).rejects.toThrow('abort');
});

describe('when this process dies', () => {
  it('a watcher asks the child to end, and ends it by force if it must', async () => {
    const pidFile = join(directory, 'child.json');
    const parent = startTestProcess(process.execPath, [parentScript, pidFile]);
    const pid = Number((await parent.waitFor(/child (\d+)/))[1]);
    expect(isGone(pid)).toBe(false);
    parent.child.kill('SIGKILL');
    await until(() => existsSync(`${pidFile}.asked`));
    await until(() => isGone(pid));
    await until(() => watchersOf(pid).length === 0);
  });

  it('without a watcher, the next start ends what was left behind', async () => {
    const pidFile = join(directory, 'child.json');
    const parent = startTestProcess(process.execPath, [parentScript, pidFile]);
    const pid = Number((await parent.waitFor(/child (\d+)/))[1]);
    for (const watcher of watchersOf(pid)) process.kill(watcher, 'SIGKILL');
    await until(() => watchersOf(pid).length === 0);
    parent.child.kill('SIGKILL');
    await parent.exit;
    expect(isGone(pid)).toBe(false);
    await stopLeftoverChild(pidFile, 500);
    expect(isGone(pid)).toBe(true);
    expect(existsSync(`${pidFile}.asked`)).toBe(true);
    expect(existsSync(pidFile)).toBe(false);
  });

  it('a process that has the same id by chance is left alone', async () => {
    const bystander = await shell('exec sleep 300');
    const pidFile = join(directory, 'child.json');
    await writeFile(pidFile, JSON.stringify({ pid: bystander.pid, startedAt: '1' }));
    await stopLeftoverChild(pidFile);
    expect(isGone(bystander.pid)).toBe(false);
    await bystander.stop();
  });
});
