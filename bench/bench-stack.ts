import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { createKeyVault } from '../core/crypto/project-keys.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { createOrm, type Orm } from '../db/orm.ts';
import { sql } from '../db/testing/sql.ts';
import { localTopicArn } from '../local/environment.ts';
import { startPostgres } from '../local/postgres.ts';
import { startTemporal } from '../local/temporal.ts';
import { findTemporalBinary } from '../local/temporal-binary.ts';
import { freePort } from '../local/testing/free-port.ts';
import { type BenchClickHouse, startBenchClickHouse } from './bench-clickhouse.ts';
import { type BenchProcess, startBenchProcess } from './bench-process.ts';
import { type CleanUp, withCleanUp } from './clean-up.ts';

export interface BenchProject {
  id: string;
  publicKey: string;
  secretKey: string;
  domain: string;
}

export interface BenchStack {
  directory: string;
  databaseUrl: string;
  postgresPid: number;
  orm: Orm;
  project: BenchProject;
  startApi(environment?: Record<string, string>, entry?: string): Promise<BenchProcess & { port: number }>;
  startWorker(environment?: Record<string, string>): Promise<BenchProcess>;
  startSes(port: number, webhookUrl?: string): Promise<BenchProcess & { url: string }>;
  startClickHouse(): Promise<BenchClickHouse>;
  startTemporal(): Promise<{ address: string; pid: number }>;
  /** Adds another project. */
  addProject(domain: string): Promise<BenchProject>;
}

async function createProject(orm: Orm, appSecret: string, domain: string): Promise<BenchProject> {
  const em = orm.em.fork();
  const id = uuidv7();
  const { publicKey, secretKey, stored } = createKeyVault(appSecret).createKeys(id);
  await sql(
    em,
    `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
     values ($1, 'Bench', $2, $3, $4, $5)`,
    [id, stored.publicKeyHash, stored.secretKeyHash, stored.publicKeyEncrypted, stored.secretKeyEncrypted],
  );
  await sql(em, `insert into domains (id, project_id, domain, status) values ($1, $2, $3, 'verified')`, [
    uuidv7(),
    id,
    domain,
  ]);
  return { id, publicKey, secretKey, domain };
}

interface StackOptions {
  /** Settings of Postgres, in addition to our own. */
  settings?: Record<string, string>;
  /** A folder that is kept, and continued from if a stack ended in it. Default: a new folder, removed at the end. */
  directory?: string;
}

interface Kept {
  appSecret: string;
  project: BenchProject;
}

/** The first project of the folder, and the secret that encrypts its keys. */
async function firstProject(orm: Orm, directory: string): Promise<Kept> {
  const file = join(directory, 'stack.json');
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before !== undefined) return JSON.parse(before);
  const appSecret = randomBytes(32).toString('base64url');
  const kept = { appSecret, project: await createProject(orm, appSecret, 'sender.example.com') };
  await writeFile(file, JSON.stringify(kept));
  return kept;
}

export function withBenchStack<Result>(
  work: (stack: BenchStack) => Promise<Result>,
  { settings = {}, directory: kept }: StackOptions = {},
): Promise<Result> {
  return withCleanUp(async (cleanUp) => {
    const directory = kept ?? (await mkdtemp(join(tmpdir(), 'posthaste-bench-')));
    if (kept === undefined) cleanUp(() => rm(directory, { recursive: true, force: true }));
    const cluster = join(directory, 'postgres');
    await mkdir(cluster, { recursive: true });
    const port = await freePort();
    const log = () => undefined;
    const postgres = await startPostgres({
      directory: cluster,
      port,
      password: 'bench',
      log,
      // A server that has run for a while recycles its WAL segments. A new one would create each of them under load,
      // filled with zeros, and stop all commits for 50 ms meanwhile.
      settings: { wal_init_zero: 'off', ...settings },
    });
    cleanUp(() => postgres.stop());
    const databaseUrl = postgres.url;
    const orm = createOrm({ url: databaseUrl, poolSize: 10, warn: () => undefined });
    cleanUp(() => orm.close());
    await migrateDatabase(orm, databaseUrl);
    const { appSecret, project } = await firstProject(orm, directory);
    const postgresPid = postgres.pid;
    return work(createStack({ directory, databaseUrl, postgresPid, orm, project, appSecret, cleanUp }));
  });
}

interface Foundation {
  directory: string;
  databaseUrl: string;
  postgresPid: number;
  orm: Orm;
  project: BenchProject;
  appSecret: string;
  cleanUp: CleanUp;
}

function createStack({ appSecret, cleanUp, ...foundation }: Foundation): BenchStack {
  const { directory } = foundation;
  const common = {
    NODE_ENV: 'production',
    DATABASE_URL: foundation.databaseUrl,
    APP_SECRET: appSecret,
    API_RATE_LIMIT_PER_MINUTE: '0',
    SNS_TOPIC_ARNS: localTopicArn,
  };
  let started = 0;

  async function start(entry: string, environment: Record<string, string>, probe: string) {
    started += 1;
    const logFile = join(directory, `${started}.log`);
    const running = await startBenchProcess({ entry, environment, probe, logFile });
    cleanUp(() => running.stop());
    return running;
  }

  return {
    ...foundation,
    async startApi(environment = {}, entry = 'api/main.ts') {
      const port = await freePort();
      const all = { ...common, PORT: String(port), ...environment };
      const running = await start(entry, all, `http://127.0.0.1:${all.PORT}/health`);
      return { ...running, port: Number(all.PORT) };
    },
    async startWorker(environment = {}) {
      const metricsPort = String(await freePort());
      const all = { ...common, METRICS_PORT: metricsPort, ...environment };
      return start('temporal/worker/main.ts', all, `http://127.0.0.1:${metricsPort}/ready`);
    },
    async startSes(port, webhookUrl) {
      const url = `http://127.0.0.1:${port}`;
      const environment = {
        DATA_DIR: join(directory, `ses-${started}`),
        INBOX_PORT: String(port),
        SNS_TOPIC_ARN: localTopicArn,
        ...(webhookUrl === undefined ? {} : { SNS_WEBHOOK_URL: webhookUrl }),
      };
      return { ...(await start('local/ses/main.ts', environment, `${url}/health`)), url };
    },
    async startClickHouse() {
      const clickhouse = await startBenchClickHouse(join(directory, 'clickhouse'));
      cleanUp(() => clickhouse.stop());
      return clickhouse;
    },
    addProject: (domain) => createProject(foundation.orm, appSecret, domain),
    async startTemporal() {
      const [binary, port, uiPort] = await Promise.all([
        findTemporalBinary({ environment: process.env }),
        freePort(),
        freePort(),
      ]);
      const temporal = await startTemporal({
        binary,
        directory: join(directory, 'temporal'),
        port,
        uiPort,
        log: () => undefined,
      });
      cleanUp(() => temporal.stop());
      return temporal;
    },
  };
}
