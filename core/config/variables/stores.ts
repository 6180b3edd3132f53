import { z } from 'zod';
import { integer, optionalText, optionalUrl, postgresUrl } from './types.ts';

/** Postgres, ClickHouse and Temporal. */
export const storesVariables = {
  DATABASE_URL: postgresUrl.describe('Postgres 18, `postgres://user:password@host:port/database`. Required.'),
  DATABASE_POOLER_URL: postgresUrl
    .optional()
    .describe(
      'A pooler in transaction mode in front of that database, such as PgBouncer. One or two connections per ' +
        'process bypass it, for features that need a session.',
    ),
  DATABASE_POOL_SIZE: integer(20, 5).describe(
    'Maximum connections per process; with `npm start`, API and worker have that many each. Below 10, requests of ' +
      'one project can hold up those of others.',
  ),
  DATABASE_CAMPAIGN_POOL_SIZE: integer(6, 4).describe('Additional connections of a worker for campaigns.'),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: integer(30).describe(
    "How long a statement of a request may run before the request gets 503; 0 = the server's setting.",
  ),
  DATABASE_LOCK_TIMEOUT_SECONDS: integer(10).describe(
    "How long a request may wait for a locked row or table; 0 = the server's setting.",
  ),
  DATABASE_WORKER_STATEMENT_TIMEOUT_SECONDS: integer(900).describe(
    "How long a statement of a worker may run before its activity is retried; 0 = the server's setting.",
  ),

  CLICKHOUSE_URL: optionalUrl.describe(
    'ClickHouse over HTTP(S). Without it analytics answers 503; `npm start` then runs one and sets it.',
  ),
  CLICKHOUSE_USER: z.string().default('default').describe('ClickHouse user.'),
  CLICKHOUSE_PASSWORD: z.string().default('').describe('ClickHouse password.'),
  CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^\w+$/)
    .default('posthaste')
    .describe('ClickHouse database; created when missing.'),

  ANALYTICS_EVENT_RETENTION_DAYS: integer(0).describe(
    'Days that ClickHouse keeps the events of the activity feed, listings and top events; 0 = forever.',
  ),
  ANALYTICS_FIGURE_RETENTION_DAYS: integer(0).describe(
    'Days that ClickHouse keeps the data of time series, statistics and campaign figures; 0 = forever.',
  ),

  TEMPORAL_ADDRESS: optionalText.describe(
    '`host:port` of the Temporal frontend; without it `localhost:7233`. Other `TEMPORAL_*` variables (namespace, ' +
      'API key, TLS) follow the Temporal environment configuration.',
  ),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .refine((name) => !name.endsWith('-jobs'), 'must not end in -jobs: the task queue of jobs is named so')
    .default('posthaste')
    .describe(
      'Task queue shared by API and workers; those for jobs, emails, campaigns, received emails and erasures are ' +
        'named after it. It must not end in `-jobs`.',
    ),
  TEMPORAL_CACHED_WORKFLOWS: integer(200, 1).describe(
    'Executions that a worker keeps in memory, about 0.4 MB each, beside up to 150 other workflows. Others are ' +
      'replayed from their history when they continue.',
  ),
  TEMPORAL_UI_URL: optionalUrl.describe('Address of the Temporal UI, shown by `GET /config`.'),
  TEMPORAL_PAYLOAD_KEY: optionalText.describe(
    'Base64 of 32 bytes: encrypts workflow payloads with AES-256-GCM.',
  ),
};
