import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildDashboard } from '../local/build-dashboard.ts';
import { residentFileMegabytesOf, residentMegabytesOf } from './bench-process.ts';
import { withCleanUp } from './clean-up.ts';
import { withLocalProduct } from './local-product.ts';
import type { BenchRun } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const idleSeconds = 8;
const exec = promisify(execFile);

interface Start {
  seconds: number;
  residentMegabytes: number;
  fileMegabytes: number;
  clickhouseMegabytes: number;
}

function measureStart(dataDirectory: string): Promise<Start> {
  return withLocalProduct(dataDirectory, {}, async ({ pid, clickhousePid, secondsToReady }) => {
    await delay(idleSeconds * 1000);
    return {
      seconds: secondsToReady,
      residentMegabytes: residentMegabytesOf(pid),
      fileMegabytes: residentFileMegabytesOf(pid),
      clickhouseMegabytes: residentMegabytesOf(clickhousePid),
    };
  });
}

/** Seconds to load a module with the compile cache of `npm start`, filled by a first run. */
async function measureLoading(specifier: string): Promise<number> {
  const script = `
    (await import('node:module')).enableCompileCache('.cache/node');
    const startedAt = performance.now();
    await import('${specifier}');
    console.log((performance.now() - startedAt) / 1000);
    process.exit();`;
  const run = () => exec(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  await run();
  return Number((await run()).stdout);
}

async function ensureDashboard(): Promise<number> {
  const startedAt = performance.now();
  await buildDashboard({ environment: process.env, say: () => undefined });
  return (performance.now() - startedAt) / 1000;
}

export function benchColdStart({ report }: BenchRun): Promise<void> {
  return withCleanUp(async (cleanUp) => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-bench-'));
    cleanUp(() => rm(directory, { recursive: true, force: true }));
    const loading = await measureLoading('./local/product.ts');
    const bare = {
      what: 'loading a bare Temporal worker',
      value: await measureLoading('@temporalio/worker'),
    };
    report({
      work: 'loading the modules of the product',
      value: loading,
      unit: 's',
      bar: { below: 1.2 },
      limits: [bare],
    });
    const limits = [{ what: 'loading the modules of the product', value: loading }, bare];
    const buildSeconds = await ensureDashboard();
    const first = await measureStart(join(directory, 'data'));
    report({
      work: 'first start to ready',
      value: first.seconds,
      unit: 's',
      bar: { below: 8 },
      limits,
      note: `the dashboard was built beforehand, in ${buildSeconds.toFixed(1)} s (less than one when it was up to date); a start after a change in web/ builds it too`,
    });
    const second = await measureStart(join(directory, 'data'));
    report({ work: 'second start to ready', value: second.seconds, unit: 's', bar: { below: 4 }, limits });
    report({
      work: 'memory of our process when idle',
      value: second.residentMegabytes,
      unit: 'MB',
      bar: { below: 400 },
      note: `after ${idleSeconds} s, ${second.fileMegabytes} MB of it pages of library files; ${first.residentMegabytes} MB after the first start; ClickHouse, a separate process, has ${second.clickhouseMegabytes} MB`,
    });
  });
}
