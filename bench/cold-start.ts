import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { residentMegabytesOf } from './bench-process.ts';
import { withCleanUp } from './clean-up.ts';
import { withLocalProduct } from './local-product.ts';
import type { BenchRun } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const idleSeconds = 8;

interface Start {
  seconds: number;
  residentMegabytes: number;
}

function measureStart(dataDirectory: string): Promise<Start> {
  return withLocalProduct(dataDirectory, {}, async ({ pid, secondsToReady }) => {
    await delay(idleSeconds * 1000);
    return { seconds: secondsToReady, residentMegabytes: residentMegabytesOf(pid) };
  });
}

async function measureLoading(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', `await import('./local/product.ts')`], {
    cwd: root,
    stdio: 'ignore',
  });
  await once(child, 'exit');
  return (performance.now() - startedAt) / 1000;
}

export function benchColdStart({ report }: BenchRun): Promise<void> {
  return withCleanUp(async (cleanUp) => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-bench-'));
    cleanUp(() => rm(directory, { recursive: true, force: true }));
    const limits = [{ what: 'loading the modules of the product', value: await measureLoading() }];
    const bar = { below: 8 };
    const first = await measureStart(join(directory, 'data'));
    report({ work: 'first start to ready', value: first.seconds, unit: 's', bar, limits });
    const second = await measureStart(join(directory, 'data'));
    report({ work: 'second start to ready', value: second.seconds, unit: 's', bar, limits });
    report({
      work: 'memory of our process when idle',
      value: second.residentMegabytes,
      unit: 'MB',
      bar: { below: 600 },
      note: `after ${idleSeconds} s; ${first.residentMegabytes} MB after the first start`,
    });
  });
}
