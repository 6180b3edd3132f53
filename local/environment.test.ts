import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporalConnectionConfig } from '../temporal/client/connect.ts';
import type { DataDirectory } from './data-directory.ts';
import {
  chooseEmbeddedParts,
  localTopicArn,
  neededPorts,
  productEnvironment,
  readLocalEnvironment,
} from './environment.ts';
import { presentRealSes } from './ready-message.ts';

const data: DataDirectory = {
  path: '/data',
  secrets: { appSecret: 's'.repeat(43), postgresPassword: 'p', clickhousePassword: 'c' },
  noteEnding: () => undefined,
  release: () => undefined,
};
const ports = {
  PORT: 8081,
  INBOX_PORT: 8026,
  TEMPORAL_PORT: 7234,
  TEMPORAL_UI_PORT: 8234,
  POSTGRES_PORT: 5434,
  INBOUND_SMTP_PORT: 2526,
  CLICKHOUSE_PORT: 8124,
};

function compose(environment: Record<string, string>) {
  const settings = readLocalEnvironment(environment);
  const parts = chooseEmbeddedParts(settings);
  const databaseUrl = settings.DATABASE_URL ?? 'postgres://embedded';
  return productEnvironment(environment, settings, parts, data, { ports, databaseUrl });
}

const ses = ['INBOX_PORT', 'INBOUND_SMTP_PORT'] as const;
const temporal = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT'] as const;

it.for([
  [{}, [...ses, ...temporal, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
  [{ DATABASE_URL: 'postgres://mine' }, [...ses, ...temporal, 'CLICKHOUSE_PORT']],
  [{ TEMPORAL_ADDRESS: 'temporal:7233' }, [...ses, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
  [{ CLICKHOUSE_URL: 'http://mine' }, [...ses, ...temporal, 'POSTGRES_PORT']],
  [{ SES_ENDPOINT: 'http://ses' }, [...temporal, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
  [{ AWS_REGION: 'eu-west-1' }, [...temporal, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
  [{ EMAIL_PROVIDER: 'smtp' }, [...temporal, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
  [{ DATABASE_URL: '' }, [...ses, ...temporal, 'POSTGRES_PORT', 'CLICKHOUSE_PORT']],
] as const)('with %o the stack needs the ports %o', ([environment, needed]) => {
  expect(neededPorts(chooseEmbeddedParts(readLocalEnvironment(environment)))).toEqual(['PORT', ...needed]);
});

it('points the product at the embedded parts', () => {
  expect(compose({ LOG_LEVEL: 'debug' })).toMatchObject({
    LOG_LEVEL: 'debug',
    PORT: '8081',
    APP_SECRET: data.secrets.appSecret,
    DATABASE_URL: 'postgres://embedded',
    CLICKHOUSE_URL: 'http://127.0.0.1:8124',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: 'c',
    TEMPORAL_ADDRESS: '127.0.0.1:7234',
    TEMPORAL_UI_URL: 'http://127.0.0.1:8234',
    SES_ENDPOINT: 'http://127.0.0.1:8026',
    SNS_LOCAL_HOST: '127.0.0.1:8026',
    SNS_TOPIC_ARNS: localTopicArn,
    INBOUND_ENABLED: 'true',
    INBOUND_S3_BUCKETS: 'local-inbound',
    INBOUND_S3_ENDPOINT: 'http://127.0.0.1:8026',
    ACCOUNT_EMAIL_FROM: 'accounts@posthaste.test',
    METRICS_PORT: '0',
  });
});

it('sends account emails only through the local SES, from the configured address if there is one', () => {
  const from = (environment: Record<string, string>) => compose(environment).ACCOUNT_EMAIL_FROM;
  expect(from({ ACCOUNT_EMAIL_FROM: 'me@example.com' })).toBe('me@example.com');
  expect(from({ ACCOUNT_EMAIL_FROM: '' })).toBe('accounts@posthaste.test');
  expect(from({ AWS_REGION: 'eu-west-1' })).toBeUndefined();
});

it("connects to the embedded Temporal without the credentials of the user's own", async () => {
  const home = await mkdtemp(join(tmpdir(), 'posthaste-home-'));
  await mkdir(join(home, 'temporalio'));
  const profiles =
    '[profile.default]\nnamespace = "mine"\napi_key = "key"\n[profile.work]\napi_key = "other"\n';
  await writeFile(join(home, 'temporalio', 'temporal.toml'), profiles);
  const embedded = { namespace: 'default', connectionOptions: { address: '127.0.0.1:7234' } };
  const theirs: Record<string, string> = {
    TEMPORAL_API_KEY: 'key',
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere.pem',
    TEMPORAL_PROFILE: 'work',
    XDG_CONFIG_HOME: home,
  };
  for (const [name, value] of Object.entries(theirs)) {
    expect(temporalConnectionConfig(compose({ [name]: value })), name).toEqual(embedded);
  }
  await rm(home, { recursive: true });
});

it('keeps what the user has configured', () => {
  const mine = {
    APP_SECRET: 'm'.repeat(32),
    DATABASE_URL: 'postgres://mine',
    CLICKHOUSE_URL: 'http://clickhouse',
    TEMPORAL_ADDRESS: 'temporal:7233',
    AWS_REGION: 'eu-west-1',
    METRICS_PORT: '9464',
  };
  const composed = compose(mine);
  expect(composed).toMatchObject(mine);
  const absent = [
    'CLICKHOUSE_PASSWORD',
    'SES_ENDPOINT',
    'SNS_LOCAL_HOST',
    'SNS_TOPIC_ARNS',
    'INBOUND_ENABLED',
    'TEMPORAL_UI_URL',
  ];
  expect(Object.keys(composed).filter((name) => absent.includes(name))).toEqual([]);
});

it('names every invalid variable', () => {
  const read = () => readLocalEnvironment({ PORT: 'x', INBOX_PORT: '70000', LOG_LEVEL: 'loud' });
  expect(read).toThrow(/PORT: .*\n {2}INBOX_PORT: .*\n {2}LOG_LEVEL: /);
});

it('says that emails really leave when AWS_REGION alone replaces the local SES', () => {
  const said = (environment: Record<string, string>) => presentRealSes(readLocalEnvironment(environment));
  expect(said({ AWS_REGION: 'eu-west-1' })).toContain('Amazon SES in eu-west-1');
  const others: Record<string, string>[] = [
    {},
    { AWS_REGION: '' },
    { AWS_REGION: 'eu-west-1', SES_ENDPOINT: 'http://127.0.0.1:1' },
  ];
  for (const environment of others) expect(said(environment)).toBeUndefined();
});
