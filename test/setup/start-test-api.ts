import type { Server } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { createApp } from '../../api/app.ts';
import { createApiServer } from '../../api/edge/api-server.ts';
import { createEdge, type Edge } from '../../api/edge/create-edge.ts';
import { createApiMetrics } from '../../api/edge/metrics.ts';
import type { Route } from '../../api/edge/route.ts';
import { loadConfig } from '../../core/config/load.ts';
import type { Config } from '../../core/config/schema.ts';
import { createKeyVault, type KeyVault } from '../../core/crypto/project-keys.ts';
import { sql } from '../../db/testing/sql.ts';
import { listen } from '../../local/testing/listen.ts';
import { createLogger } from '../../runtime/logger.ts';
import type { Tracing } from '../../runtime/otlp-tracing.ts';
import type { TestAnswer } from './answer.ts';
import { type TestDatabase, useTestDatabase } from './database.ts';
import { fileFixture } from './fixtures.ts';

export const appSecret = 'a secret of the tests, long enough to be one';

export interface TestProject {
  id: string;
  publicKey: string;
  secretKey: string;
}

export interface TestRequest {
  method?: string;
  key?: string;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestApi {
  url: string;
  edge: Edge;
  server: Server;
  vault: KeyVault;
  config: Config;
  logLines: Record<string, unknown>[];
  request(path: string, request?: TestRequest): Promise<TestAnswer>;
  close(): Promise<void>;
}

export interface TestApiOptions<S> {
  database: TestDatabase;
  routes: readonly Route[];
  services: S | ((edge: Edge, config: Config) => S);
  environment?: Record<string, string>;
  requestTimeoutMs?: number;
  tracing?: Tracing | undefined;
  checks?: { clickhouse?: () => Promise<unknown>; temporal?: () => Promise<unknown> };
}

function isFactory<S>(
  services: S | ((edge: Edge, config: Config) => S),
): services is (edge: Edge, config: Config) => S {
  return typeof services === 'function';
}

/** Starts an API that checks responses against their declarations. */
export async function startTestApi<S>(options: TestApiOptions<S>): Promise<TestApi> {
  const config = loadConfig({
    NODE_ENV: 'test',
    APP_SECRET: appSecret,
    DATABASE_URL: options.database.url,
    VALIDATE_RESPONSES: 'true',
    VALIDATE_ROWS: 'true',
    ...options.environment,
  });
  const { orm } = options.database;
  const logLines: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (line: string) => logLines.push(JSON.parse(line)) });
  const edge = createEdge({ config, em: orm.em.fork(), logger });
  edge.start();
  const app = createApp({
    config,
    version: '0.0.0',
    routes: options.routes,
    services: isFactory(options.services) ? options.services(edge, config) : options.services,
    edge,
    metrics: createApiMetrics(),
    logger,
    tracing: options.tracing,
    readiness: { postgres: () => sql(orm.em.fork(), 'select 1'), ...options.checks },
  });
  const timeout =
    options.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: options.requestTimeoutMs };
  const server = createApiServer(app.callback(), timeout);
  const url = `http://127.0.0.1:${await listen(server)}`;

  return {
    url,
    edge,
    server,
    vault: createKeyVault(config.APP_SECRET),
    config,
    logLines,
    request: (path, request) => send(`${url}${path}`, request),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await edge.close();
    },
  };
}

/** An API on the test file's database, which has a project. */
export function useTestApi<S>(options: Omit<TestApiOptions<S>, 'database'>): {
  api: TestApi;
  database: TestDatabase;
  project: TestProject;
} {
  const database = useTestDatabase();
  const api = fileFixture(
    () => startTestApi({ ...options, database }),
    ({ close }) => close(),
  );
  return { api, database, project: fileFixture(() => createTestProject(database)) };
}

async function send(url: string, { method, key, body, headers }: TestRequest = {}): Promise<TestAnswer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseOr(text) };
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function createTestProject(
  database: TestDatabase,
  values: { disabled?: boolean } = {},
): Promise<TestProject> {
  const id = uuidv7();
  const { publicKey, secretKey, stored } = createKeyVault(appSecret).createKeys(id);
  await database.sql(
    `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted,
       secret_key_encrypted, disabled) values ($1, 'Test', $2, $3, $4, $5, $6)`,
    [
      id,
      stored.publicKeyHash,
      stored.secretKeyHash,
      stored.publicKeyEncrypted,
      stored.secretKeyEncrypted,
      values.disabled ?? false,
    ],
  );
  return { id, publicKey, secretKey };
}
