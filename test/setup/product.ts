import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { loadConfig } from '../../core/config/load.ts';
import { startProduct } from '../../local/product.ts';
import { receivedBucket } from '../../local/ses/receiving/received-mail.ts';
import { startLocalSes } from '../../local/ses/server.ts';
import type { LocalSes } from '../../local/ses/testing/test-ses.ts';
import { freePort } from '../../local/testing/free-port.ts';
import { createLogger } from '../../runtime/logger.ts';
import { createShutdown } from '../../runtime/shutdown.ts';
import { openCampaignThread } from '../../temporal/worker/campaign-thread/campaign-thread.ts';
import { nameTestClickHouse } from './clickhouse.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { fileFixture } from './fixtures.ts';
import { knowProduct } from './sender.ts';
import { useTemporalRuntime } from './temporal-runtime.ts';

export const testTopic = 'arn:aws:sns:us-east-1:000000000000:posthaste';
const log = createLogger(process.env.TEST_LOG_LEVEL ?? 'silent');

export interface TestProduct {
  url: string;
  product: Awaited<ReturnType<typeof startProduct>>;
  database: TestDatabase;
  em: TestDatabase['em'];
  sql: TestDatabase['sql'];
  ses: LocalSes;
  /** Folder of its images. */
  uploads: string;
  /** Environment for another process of the same product, which needs its own `PORT`. */
  environment: Record<string, string>;
}

export interface OwnProduct extends TestProduct {
  close(): Promise<void>;
}

type Environment = Record<string, string>;

/** A product shared by a test file. @param environment a function if it reads fixtures */
export const useTestProduct = (
  environment: Environment | (() => Environment) = {},
  start = startTestProduct,
): TestProduct =>
  fileFixture(
    () => start(typeof environment === 'function' ? environment() : environment),
    ({ close }) => close(),
  );

/**
 * Starts a product for one test file, to test what all projects share: settings, limits, faults, totals. API, worker
 * and journal stream run in this process, with their own database and task queue.
 */
export async function startTestProduct(environment: Environment = {}): Promise<OwnProduct> {
  useTemporalRuntime();
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-product-'));
  const uploads = path.join(directory, 'uploads');
  const clickhouse = nameTestClickHouse();
  const [database, port] = await Promise.all([createTestDatabase(20), freePort()]);
  const ses = await startLocalSes({
    port: 0,
    dataDir: path.join(directory, 'ses'),
    webhookUrl: `http://127.0.0.1:${port}/webhooks/sns`,
    topicArn: testTopic,
    smtpPort: 0,
  });
  const all: Record<string, string> = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: String(port),
    APP_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '10',
    // Only a hang reaches it, however busy the machine is.
    DATABASE_STATEMENT_TIMEOUT_SECONDS: '300',
    DATABASE_LOCK_TIMEOUT_SECONDS: '300',
    ...(environment.CLICKHOUSE_URL === undefined && clickhouse.environment),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${ses.port}`,
    SNS_TOPIC_ARNS: testTopic,
    INBOUND_ENABLED: 'true',
    INBOUND_S3_BUCKETS: receivedBucket,
    INBOUND_S3_ENDPOINT: ses.url,
    UPLOADS_DIR: uploads,
    VALIDATE_RESPONSES: 'true',
    VALIDATE_ROWS: 'true',
    ...environment,
  };
  const shutdown = createShutdown(log, 30_000);
  const config = loadConfig(all);
  const campaigns = openCampaignThread(config, log, shutdown);
  const product = await startProduct({ config, environment: all, log, shutdown, campaigns });
  const parts = { url: product.url, sql: database.sql, ses, environment: all };
  const forget = knowProduct(parts);
  return {
    ...parts,
    product,
    database,
    em: database.em,
    uploads,
    async close() {
      forget();
      await shutdown.run();
      await ses.close();
      await Promise.all([database.close(), clickhouse.drop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
