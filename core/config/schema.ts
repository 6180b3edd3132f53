import { z } from 'zod';
import { emailAddressSchema } from '../addresses/email-address.ts';

const integer = (fallback: number, minimum = 0) => z.coerce.number().int().min(minimum).default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', 'on', 'off'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true' || value === '1' || value === 'on');
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/**
 * Every environment variable that Posthaste reads, with its default. `docs/configuration.md` is checked
 * against the keys and descriptions of this schema.
 */
export const environmentSchema = z.object({
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('`production`, `development` or `test`.'),
  HOST: z.string().default('127.0.0.1').describe('Address on which the API listens.'),
  PORT: integer(8080).describe('Port of the API.'),
  API_URL: z
    .url()
    .optional()
    .describe('Public address of the API, used in links and cookies. Default: built from `HOST` and `PORT`.'),
  DASHBOARD_URL: z
    .url()
    .optional()
    .describe(
      'Address of a dashboard elsewhere, which may call the API with the cookie. Links in account emails, OAuth ' +
        'sign-in and payments lead back to the dashboard. Default: `/app` of the API; without a dashboard there ' +
        'they lead to plain pages.',
    ),
  DASHBOARD_DIR: z
    .string()
    .optional()
    .describe('Folder of the built dashboard that the API serves under `/app`. Default: the newest build.'),
  TRUST_PROXY: flag(false).describe(
    'Take the client address from `X-Forwarded-For` (only behind your own proxy).',
  ),
  APP_SECRET: z
    .string()
    .min(32)
    .describe(
      'At least 32 random characters. Encrypts API keys at rest and signs sessions and links. Required.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum log level.'),

  DATABASE_URL: z
    .string()
    .min(1)
    .describe('Postgres 18, `postgres://user:password@host:port/database`. Required.'),
  DATABASE_POOLER_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A pooler in transaction mode in front of that database, such as PgBouncer. One or two connections per ' +
        'process bypass it, for what needs a session.',
    ),
  DATABASE_POOL_SIZE: integer(20, 4).describe(
    'Maximum connections per process; with `npm start`, for API and worker each.',
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

  CLICKHOUSE_URL: z
    .url()
    .optional()
    .describe(
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

  TEMPORAL_ADDRESS: z
    .string()
    .optional()
    .describe(
      '`host:port` of the Temporal frontend. Other `TEMPORAL_*` variables (namespace, API key, TLS) ' +
        'follow the Temporal environment configuration.',
    ),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .min(1)
    .default('posthaste')
    .describe('Task queue shared by API and workers; those for emails and campaigns are named after it.'),
  TEMPORAL_CACHED_WORKFLOWS: integer(200, 1).describe(
    'Workflows that a worker keeps in memory, about 0.4 MB each. Others are replayed from their history when ' +
      'they continue.',
  ),
  TEMPORAL_UI_URL: z.url().optional().describe('Address of the Temporal UI, shown by `GET /config`.'),
  TEMPORAL_PAYLOAD_KEY: z
    .string()
    .optional()
    .describe('Base64 of 32 bytes: encrypts workflow payloads with AES-256-GCM.'),

  EMAIL_PROVIDER: z.enum(['ses', 'smtp']).default('ses').describe('`ses` or `smtp`.'),
  AWS_REGION: z
    .string()
    .default('us-east-1')
    .describe('Region of SES. Credentials come from the usual AWS sources.'),
  SES_ENDPOINT: z.url().optional().describe('Another address for the SES API, such as the local SES.'),
  SES_CONFIGURATION_SET: z
    .string()
    .default('posthaste')
    .describe('Configuration set that publishes the events.'),
  SNS_TOPIC_ARNS: list.describe('Topics accepted at `/webhooks/sns`, separated by commas. Empty: none.'),
  SNS_LOCAL_HOST: z
    .string()
    .optional()
    .describe(
      '`host:port` of the local SES, whose notifications are trusted besides AWS. Never set it in production.',
    ),
  INBOUND_ENABLED: flag(false).describe(
    'Accept emails that SES receives for verified domains. `POST /domains` then shows the MX record too.',
  ),
  INBOUND_S3_BUCKETS: list.describe(
    'Buckets that SES stores received emails in, separated by commas; a notification for another bucket ' +
      'is refused.',
  ),
  INBOUND_S3_ENDPOINT: z
    .url()
    .optional()
    .describe('Alternative endpoint for these buckets, such as the local SES. Uses the credentials of SES.'),
  SMTP_URL: z
    .string()
    .optional()
    .describe('`smtp://user:password@host:port`, required with `EMAIL_PROVIDER=smtp`.'),
  EMAIL_RATE_PER_SECOND: integer(0).describe(
    'Ceiling for the provider account. 0: what SES grants (90 % of it); for SMTP: none.',
  ),
  PROJECT_EMAIL_RATE_PER_SECOND: integer(0).describe(
    'Ceiling per project. 0: only the ceiling of the account.',
  ),
  UNKNOWN_OUTCOME_SECONDS: integer(120, 1).describe(
    'How long an unanswered hand-over waits for its `Send` event.',
  ),

  ACCOUNT_EMAIL_FROM: emailAddressSchema
    .optional()
    .describe(
      'Sender of account emails (verification, password reset, invitations), at a domain that your ' +
        'provider lets you send from; no project can add that domain then. Without it no account emails are ' +
        'sent, and requests that need one return 503.',
    ),
  ACCOUNT_EMAIL_NAME: z.string().max(100).default('Posthaste').describe('Display name of that sender.'),

  OAUTH_GOOGLE_CLIENT_ID: z
    .string()
    .optional()
    .describe('Sign-in with Google, whose callback is `/auth/oauth/google/callback` of the API.'),
  OAUTH_GOOGLE_CLIENT_SECRET: z.string().optional().describe('Required with `OAUTH_GOOGLE_CLIENT_ID`.'),
  OAUTH_GOOGLE_ISSUER: z
    .url()
    .default('https://accounts.google.com')
    .describe('Issuer of another OpenID Connect provider, instead of Google.'),
  OAUTH_GITHUB_CLIENT_ID: z
    .string()
    .optional()
    .describe('Sign-in with GitHub, whose callback is `/auth/oauth/github/callback` of the API.'),
  OAUTH_GITHUB_CLIENT_SECRET: z.string().optional().describe('Required with `OAUTH_GITHUB_CLIENT_ID`.'),
  OAUTH_GITHUB_URL: z
    .url()
    .default('https://github.com')
    .describe('Address of a GitHub Enterprise Server, instead of GitHub.'),

  SIGNUP_ENABLED: flag(true).describe('Whether `POST /auth/signup` is open.'),
  AUTO_PROJECT_DISABLE: flag(true).describe(
    'Whether a project is disabled when its bounces or complaints of seven days are critical.',
  ),
  API_RATE_LIMIT_PER_MINUTE: integer(1000).describe(
    'Requests per minute and project over all processes; 0 = off.',
  ),
  USER_RATE_LIMIT_PER_MINUTE: integer(1000).describe(
    'Requests per minute and signed-in user on `/users/@me` and `/projects` over all processes; 0 = off.',
  ),
  PROJECTS_PER_USER: integer(500).describe('Projects that a user may own; 0 = unlimited.'),
  DOMAINS_PER_PROJECT: integer(100).describe('Sender domains that a project may have; 0 = unlimited.'),
  AUTH_RATE_LIMIT_PER_MINUTE: integer(100).describe(
    'Requests per minute and client address on `/auth/*` and for invitations, and invalid links on the ' +
      'public pages; 0 = off.',
  ),
  LOGIN_ATTEMPTS_PER_ACCOUNT: integer(10).describe(
    'Wrong passwords per account within 15 minutes, from all unknown devices and addresses together; each ' +
      'known one has the same allowance. 0 = off.',
  ),
  HEAVY_READS_PER_PROJECT: integer(4).describe(
    'Concurrent searches, field-value lists and counts of segments and audiences per project and process; ' +
      'a few more wait, the rest get 429; 0 = unlimited.',
  ),
  IDEMPOTENCY_KEY_TTL_HOURS: integer(24, 1).describe('How long an Idempotency-Key is remembered.'),
  EMAIL_BODY_RETENTION_DAYS: integer(7, 1).describe(
    'How long content and attachments of sent emails are kept, and the content of received ones.',
  ),
  EVENT_RETENTION_MONTHS: integer(0).describe(
    'Months, beside the current one, for which Postgres keeps the rows of the journal once ClickHouse has them; 0 = forever.',
  ),
  SEGMENT_ROUND_INTERVAL_SECONDS: integer(15, 1).describe(
    'How often changes of contacts are evaluated for tracked segments and their entry and exit events emitted. A ' +
      'project whose round takes long pauses for ten times as long, at most five minutes.',
  ),
  SEGMENT_COMPUTE_INTERVAL_MINUTES: integer(5, 1).describe(
    'How often tracked segments that are new or were edited are computed among all contacts.',
  ),
  SEGMENT_COUNT_INTERVAL_MINUTES: integer(15, 1).describe('How often the members of segments are counted.'),
  OUTBOUND_ALLOW_HOSTS: list.describe(
    'Non-public hosts that workflow webhooks may call, separated by commas.',
  ),
  DNS_SERVERS: list.describe(
    'DNS servers for sender domains and `POST /v1/verify`, `host[:port]` separated by commas. Empty: the ' +
      "system's.",
  ),

  STRIPE_SECRET_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Secret or restricted key of Stripe. Without it there is no billing: its endpoints return 503; ' +
        'limits still apply.',
    ),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Signing secret of the webhook endpoint `/webhooks/incoming/stripe`; required with `STRIPE_SECRET_KEY`.',
    ),
  STRIPE_PRICE_IDS: list.describe(
    'Recurring prices that a project may subscribe to, the default first, separated by commas; required ' +
      'with `STRIPE_SECRET_KEY`.',
  ),
  STRIPE_API_URL: z
    .url()
    .optional()
    .describe('Alternative address of the Stripe API, such as a local server in tests.'),

  UPLOADS_DIR: z
    .string()
    .min(1)
    .default('.data/uploads')
    .describe(
      'Folder of uploaded images, served at `/uploads`. All API and worker processes must share it; ' +
        'otherwise use S3.',
    ),
  S3_BUCKET: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Bucket for uploaded images, publicly readable or through `S3_PUBLIC_URL`. Without it they go to ' +
        '`UPLOADS_DIR`.',
    ),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
  S3_ENDPOINT: z
    .url()
    .optional()
    .describe('Address of an S3-compatible service; buckets are addressed by path.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('Credentials for the bucket. Default: the usual AWS sources.'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Required with `S3_ACCESS_KEY_ID`.'),
  S3_PUBLIC_URL: z
    .url()
    .optional()
    .describe('Public address of the bucket, such as that of a CDN. Default: its address at the service.'),

  UPLOADS_PER_PROJECT: integer(10_000).describe('Images that a project may have; 0 = unlimited.'),
  UPLOAD_BYTES_PER_PROJECT: integer(1_073_741_824).describe(
    "Total bytes of a project's images; 0 = unlimited.",
  ),

  METRICS_PORT: integer(9464).describe("Port of the worker's `/health`, `/ready` and `/metrics`; 0 = off."),
  TEMPORAL_METRICS_PORT: integer(0).describe(
    "Port of the worker's `/metrics` of the Temporal SDK (task latency, failed tasks, free slots); 0 = off.",
  ),
  SHUTDOWN_GRACE_SECONDS: integer(20, 1).describe('How long running work may finish at shutdown.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('OpenTelemetry collector. Tracing is off without it.'),
  VALIDATE_RESPONSES: flag(false).describe(
    'Check every response against its declared schema (development and tests).',
  ),
  VALIDATE_ROWS: flag(false).describe(
    'Check every row of a statement against its declared schema (development and tests).',
  ),
});

export type Config = z.output<typeof environmentSchema>;
