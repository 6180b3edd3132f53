import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readRememberedPorts } from '../local/ports.ts';
import { postgresUrl } from '../local/postgres.ts';
import { withCleanUp } from './clean-up.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The first start also builds the dashboard, possibly on a busy machine. */
const startTimeoutMs = 300_000;

const credentialsSchema = z.object({
  email: z.string(),
  password: z.string(),
  publicKey: z.string(),
  secretKey: z.string(),
  domain: z.string(),
  urls: z.object({ api: z.string(), inbox: z.string() }),
});

const secretsSchema = z.object({ postgresPassword: z.string() });
const pidSchema = z.object({ pid: z.number() });

export interface LocalProduct {
  /** The process of API and worker; the other parts are its children. */
  pid: number;
  clickhousePid: number;
  secondsToReady: number;
  credentials: z.output<typeof credentialsSchema>;
  databaseUrl: string;
}

/** Passes `BENCH_NODE_OPTIONS` to its processes. */
export function withLocalProduct<Result>(
  dataDirectory: string,
  environment: Record<string, string>,
  work: (product: LocalProduct) => Promise<Result>,
): Promise<Result> {
  return withCleanUp(async (cleanUp) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, ['local/bootstrap.mjs', 'local/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: dataDirectory,
        PORT: '0',
        INBOX_PORT: '0',
        TEMPORAL_PORT: '0',
        TEMPORAL_UI_PORT: '0',
        INBOUND_SMTP_PORT: '0',
        POSTGRES_PORT: '0',
        CLICKHOUSE_PORT: '0',
        ...(process.env.BENCH_NODE_OPTIONS && { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    cleanUp(() => {
      child.kill('SIGTERM');
      return exited;
    });
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`Posthaste did not become ready:\n${output}`));
      const timer = setTimeout(fail, startTimeoutMs);
      child.once('exit', fail);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (!/^Posthaste is ready/m.test(output)) return;
          clearTimeout(timer);
          resolve();
        });
      }
    });
    const secondsToReady = (performance.now() - startedAt) / 1000;
    const read = (file: string) => readFile(join(dataDirectory, file), 'utf8');
    const { postgresPassword } = secretsSchema.parse(JSON.parse(await read('secrets.json')));
    const { POSTGRES_PORT = 0 } = await readRememberedPorts(dataDirectory);
    const { pid: clickhousePid } = pidSchema.parse(JSON.parse(await read('clickhouse.pid.json')));
    return work({
      clickhousePid,
      pid: Number(await read('posthaste.pid')),
      secondsToReady,
      credentials: credentialsSchema.parse(JSON.parse(await read('credentials.json'))),
      databaseUrl: postgresUrl(POSTGRES_PORT, postgresPassword),
    });
  });
}
