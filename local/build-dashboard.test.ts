import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDashboard, tryToBuildDashboard } from './build-dashboard.ts';

let root: string;
let sources: string;
let builds: string;
let said: string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-web-'));
  sources = join(root, 'web');
  builds = join(root, 'builds');
  await mkdir(sources);
  await writeFile(join(sources, 'index.html'), '<script type="module" src="./main.js"></script>');
  await writeFile(join(sources, 'main.js'), 'document.title = "one";');
  await writeFile(join(sources, 'vite.config.js'), 'export default { base: "./" };');
});
afterAll(() => rm(root, { recursive: true }));

const { PATH, NODE_COMPILE_CACHE } = process.env;
const environment = { PATH, NODE_COMPILE_CACHE, NODE_ENV: 'test' };

function build(): Promise<string | undefined> {
  said = [];
  return buildDashboard({ sources, builds, environment, say: (line) => said.push(line) });
}
const big = (word: string) => `document.title = ${JSON.stringify(`${word} `.repeat(400))};`;

it('builds once, says so, and puts a compressed copy beside each file that is worth it', async () => {
  await writeFile(join(sources, 'main.js'), big('first'));
  const folder = (await build()) ?? '';
  expect(said).toHaveLength(1);
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const script = join(folder, /src="(\.\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? 'none');
  const text = await readFile(script, 'utf8');
  expect(text).toContain('first first');
  expect(brotliDecompressSync(await readFile(`${script}.br`)).toString()).toBe(text);
  expect(gunzipSync(await readFile(`${script}.gz`)).toString()).toBe(text);
  expect(await build()).toBe(folder);
  expect(said).toEqual([]);
});

it('rebuilds after a change of any file', async () => {
  const before = await build();
  await writeFile(join(sources, 'main.js'), big('second'));
  await mkdir(join(sources, 'node_modules'), { recursive: true });
  const folder = await build();
  expect(folder).not.toBe(before);
  await cp(join(sources, 'main.js'), join(sources, 'node_modules/main.js'));
  expect(await build()).toBe(folder);
});

it('keeps the two most recently used builds, one of which another product may serve', async () => {
  await rm(builds, { recursive: true, force: true });
  const folderOf = async (word: string) => {
    await writeFile(join(sources, 'main.js'), big(word));
    return basename((await build()) ?? '');
  };
  const [first, second] = [await folderOf('one'), await folderOf('two')];
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of [first, second]) await utimes(join(builds, name), hourAgo, hourAgo);
  expect(await folderOf('one')).toBe(first);
  const third = await folderOf('three');
  expect((await readdir(builds)).sort()).toEqual([first, third].sort());
});

it('reports what is wrong with the sources, and keeps earlier builds', async () => {
  await build();
  const before = await readdir(builds);
  await writeFile(join(sources, 'main.js'), 'import { nothing } from "./missing.js"; nothing();');
  await expect(build()).rejects.toThrow('missing.js');
  expect(await readdir(builds)).toEqual(before);
  expect((await readdir(root)).sort()).toEqual(['builds', 'web']);
});

it('a failed build does not end npm start', async () => {
  await writeFile(join(sources, 'main.js'), 'import { nothing } from "./missing.js"; nothing();');
  const logged: unknown[] = [];
  const lines: string[] = [];
  const start = (signal: AbortSignal) =>
    tryToBuildDashboard({
      sources,
      builds,
      environment,
      signal,
      say: (line) => lines.push(line),
      log: { error: (fields: object) => void logged.push(fields) },
    });
  expect(await start(new AbortController().signal)).toBeUndefined();
  expect(lines.at(-1)).toMatch(/could not be built, so Posthaste starts without it[\s\S]+missing\.js/);
  expect(logged).toEqual([
    { err: expect.objectContaining({ message: expect.stringContaining('missing.js') }) },
  ]);
  // Ctrl-C during the build is not a failure of the build.
  await expect(start(AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
  expect(logged).toHaveLength(1);
});

it('has nothing to do without sources', async () => {
  const nothing = {
    sources: join(root, 'none'),
    builds,
    environment,
    say: (line: string) => said.push(line),
  };
  expect(await buildDashboard(nothing)).toBeUndefined();
});
