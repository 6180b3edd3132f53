import { join } from 'node:path';
import { z } from 'zod';
import { hostAndPort } from '../core/config/urls.ts';
import type { DataDirectory } from './data-directory.ts';
import { LocalStackError } from './failure.ts';
import type { PortName, PortNumbers } from './ports.ts';
import { receivedBucket } from './ses/receiving/received-mail.ts';

const port = z.coerce.number().int().min(0).max(65_535).optional();

const localEnvironmentSchema = z.object({
  DATA_DIR: z
    .string()
    .default('.data')
    .describe('Folder of everything that `npm start` stores; relative to the working directory.'),
  HOST: z.string().default('127.0.0.1'),
  DASHBOARD_DIR: z.string().optional(),
  PORT: port.describe('Port of the API. Unset: 8080 or the next free one.'),
  INBOX_PORT: port.describe('Port of the local SES and its inbox. Unset: 8025 or the next free one.'),
  TEMPORAL_PORT: port.describe('Port of the embedded Temporal. Unset: 7233 or the next free one.'),
  TEMPORAL_UI_PORT: port.describe('Port of the Temporal UI. Unset: 8233 or the next free one.'),
  POSTGRES_PORT: port.describe('Port of the embedded Postgres. Unset: 5433 or the next free one.'),
  CLICKHOUSE_PORT: port.describe('Port of the embedded ClickHouse. Unset: 8123 or the next free one.'),
  INBOUND_SMTP_PORT: port.describe(
    'Port of the local SES for incoming email. Unset: 2525 or the next free one.',
  ),
  TEMPORAL_CLI_PATH: z
    .string()
    .optional()
    .describe('The Temporal CLI to start; otherwise one is found or downloaded.'),
  TEMPORAL_NAMESPACE: z.string().optional(),
  DATABASE_URL: z.string().optional(),
  CLICKHOUSE_URL: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_UI_URL: z.string().optional(),
  SES_ENDPOINT: z.string().optional(),
  AWS_REGION: z.string().optional(),
  EMAIL_PROVIDER: z.string().optional(),
  API_URL: z.string().optional(),
  APP_SECRET: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SNS_TOPIC_ARNS: z.string().optional(),
});

export type LocalEnvironment = z.output<typeof localEnvironmentSchema>;

/**
 * Empty strings count as unset.
 * @throws LocalStackError naming every invalid variable
 */
export function readLocalEnvironment(environment: Record<string, string | undefined>): LocalEnvironment {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = localEnvironmentSchema.safeParse(present);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new LocalStackError(`The configuration is not valid:\n${lines.join('\n')}`);
}

export type EmbeddedParts = ReturnType<typeof chooseEmbeddedParts>;

export function chooseEmbeddedParts(settings: LocalEnvironment) {
  return {
    postgres: settings.DATABASE_URL === undefined,
    temporal: settings.TEMPORAL_ADDRESS === undefined,
    clickhouse: settings.CLICKHOUSE_URL === undefined,
    ses:
      settings.SES_ENDPOINT === undefined &&
      settings.AWS_REGION === undefined &&
      settings.EMAIL_PROVIDER !== 'smtp',
  };
}

export function neededPorts(parts: EmbeddedParts): PortName[] {
  return [
    'PORT',
    ...(parts.ses ? (['INBOX_PORT', 'INBOUND_SMTP_PORT'] as const) : []),
    ...(parts.temporal ? (['TEMPORAL_PORT', 'TEMPORAL_UI_PORT'] as const) : []),
    ...(parts.postgres ? (['POSTGRES_PORT'] as const) : []),
    ...(parts.clickhouse ? (['CLICKHOUSE_PORT'] as const) : []),
  ];
}

/** Reserved by RFC 2606, so nobody can own it; the local SES verifies it at the first start. */
export const localSenderDomain = 'posthaste.test';

export const localTopicArn = 'arn:aws:sns:us-east-1:000000000000:posthaste';

export function productEnvironment(
  environment: Record<string, string | undefined>,
  settings: LocalEnvironment,
  parts: EmbeddedParts,
  data: Pick<DataDirectory, 'path' | 'secrets'>,
  { ports, databaseUrl }: { ports: PortNumbers; databaseUrl: string },
): Record<string, string | undefined> {
  const topics = [settings.SNS_TOPIC_ARNS, localTopicArn].filter((topic) => topic !== undefined);
  return {
    METRICS_PORT: '0',
    SHUTDOWN_GRACE_SECONDS: '5',
    ...environment,
    HOST: settings.HOST,
    PORT: String(ports.PORT),
    APP_SECRET: settings.APP_SECRET ?? data.secrets.appSecret,
    DATABASE_URL: databaseUrl,
    UPLOADS_DIR: environment.UPLOADS_DIR || join(data.path, 'uploads'),
    ...(parts.clickhouse && {
      CLICKHOUSE_URL: `http://127.0.0.1:${ports.CLICKHOUSE_PORT ?? 0}`,
      CLICKHOUSE_USER: 'default',
      CLICKHOUSE_PASSWORD: data.secrets.clickhousePassword,
    }),
    ...(parts.temporal && {
      ...withoutCredentials(environment, data.path),
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.TEMPORAL_PORT}`,
      TEMPORAL_UI_URL: `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`,
    }),
    ...(parts.ses && {
      EMAIL_PROVIDER: 'ses',
      ACCOUNT_EMAIL_FROM: environment.ACCOUNT_EMAIL_FROM || `accounts@${localSenderDomain}`,
      SES_ENDPOINT: `http://127.0.0.1:${ports.INBOX_PORT}`,
      SNS_LOCAL_HOST: `127.0.0.1:${ports.INBOX_PORT}`,
      SNS_TOPIC_ARNS: topics.join(','),
      INBOUND_ENABLED: environment.INBOUND_ENABLED || 'true',
      INBOUND_S3_BUCKETS: receivedBucket,
      INBOUND_S3_ENDPOINT: `http://127.0.0.1:${ports.INBOX_PORT}`,
    }),
  };
}

/** Keys, certificates and profiles of the user's shell are for another Temporal; the embedded one speaks no TLS. */
function withoutCredentials(environment: Record<string, string | undefined>, dataDirectory: string) {
  const names = Object.keys(environment).filter((name) => /^TEMPORAL_(API_KEY|TLS|PROFILE)/.test(name));
  return {
    ...Object.fromEntries(names.map((name) => [name, ''])),
    // A missing file holds no profile; without the variable, the one in the home folder counts.
    TEMPORAL_CONFIG_FILE: join(dataDirectory, 'temporal', 'no-profiles.toml'),
  };
}

export function localApiUrl(settings: Pick<LocalEnvironment, 'HOST'>, port: number | undefined): string {
  const everywhere = settings.HOST === '0.0.0.0' || settings.HOST === '::';
  return `http://${hostAndPort(everywhere ? '127.0.0.1' : settings.HOST, port)}`;
}
