import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startFuzzedProduct } from './product.ts';
import { preparePython } from './python.ts';

const usage = `Usage: npm run fuzz -- [--minutes 5] [--seed 1] [--only /path/of/the/document]
Calls the API with generated valid and invalid requests from its OpenAPI document. The same seed repeats a run.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const seconds = Math.round(Number(values.minutes) * 60);
if (values.help || !(seconds >= 1) || !/^\d+$/.test(values.seed)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/fuzz', import.meta.url));
const programs = await preparePython(join(cache, 'python'), join(here, 'requirements.txt'));
const report = join(cache, 'report');
await mkdir(report, { recursive: true });
const product = await startFuzzedProduct();
try {
  console.log(`Fuzzing ${product.url} for ${values.minutes} minutes, seed ${values.seed}`);
  const only = values.only === undefined ? [] : ['--include-path', values.only];
  const limits = ['--seed', values.seed, '--max-time', String(seconds)];
  const reports = ['--report', 'json', '--report-json-path', join(report, `${values.seed}.json`)];
  const child = spawn(
    join(programs, 'schemathesis'),
    [
      '--config-file',
      join(here, 'schemathesis.toml'),
      'run',
      `${product.url}/openapi.json`,
      ...limits,
      ...reports,
      ...only,
    ],
    {
      cwd: cache,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        FUZZ_ORIGIN: product.url,
        FUZZ_SECRET_KEY: product.secretKey,
        FUZZ_PUBLIC_KEY: product.publicKey,
        FUZZ_SESSION: product.session,
      },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  console.log(`Seed ${values.seed}: ${code === 0 ? 'nothing found' : 'see above'}`);
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await product.stop();
}
