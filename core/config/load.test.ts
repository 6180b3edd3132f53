import { expect, it } from 'vitest';
import { loadConfig } from './load.ts';
import { environmentSchema } from './schema.ts';

const required = { APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://p' };
const load = (changes: Record<string, string>) => loadConfig({ ...required, ...changes });

it('takes an empty variable for one that is not set', () => {
  const names = Object.keys(environmentSchema.shape).filter((name) => !(name in required));
  expect(load(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(load({}));
  expect(() => load({ DATABASE_URL: '' })).toThrow(/^ {2}DATABASE_URL: Required$/m);
});

it('reports all faults at once, also variables that lack another one', () => {
  const faults = (changes: Record<string, string>) => {
    try {
      return load(changes);
    } catch (error) {
      return error instanceof Error && error.message.split('\n  ').slice(1);
    }
  };
  const incomplete = { S3_ACCESS_KEY_ID: 'id', OAUTH_GITHUB_CLIENT_SECRET: 's', STRIPE_SECRET_KEY: 'sk' };
  const lacking = [
    'S3_SECRET_ACCESS_KEY: Required with S3_ACCESS_KEY_ID',
    'OAUTH_GITHUB_CLIENT_ID: Required with OAUTH_GITHUB_CLIENT_SECRET',
    'STRIPE_WEBHOOK_SECRET: Required with STRIPE_SECRET_KEY',
    'STRIPE_PRICE_IDS: Required with STRIPE_SECRET_KEY',
    'SMTP_URL: Required with EMAIL_PROVIDER=smtp',
  ];
  const all = { ...incomplete, EMAIL_PROVIDER: 'smtp' };
  expect(faults({ ...all, STRIPE_PRICE_IDS: ' ,' })).toEqual(lacking);
  expect(faults({ ...all, PORT: 'http' })).toEqual([expect.stringMatching(/^PORT: /), ...lacking]);
});

it.each(['STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_IDS'])(
  'does not take STRIPE_SECRET_KEY without %s',
  (missing) => {
    const all = { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec', STRIPE_PRICE_IDS: 'price_1' };
    expect(load(all)).toMatchObject({ STRIPE_SECRET_KEY: 'sk' });
    expect(() => load({ ...all, [missing]: '' })).toThrow(`${missing}: Required with STRIPE_SECRET_KEY`);
  },
);

it.each([
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['OAUTH_GOOGLE_CLIENT_ID', 'OAUTH_GOOGLE_CLIENT_SECRET'],
  ['OAUTH_GITHUB_CLIENT_ID', 'OAUTH_GITHUB_CLIENT_SECRET'],
])('takes %s and %s together only', (one, other) => {
  expect(() => load({ [one]: 'x' })).toThrow(`${other}: Required with ${one}`);
  expect(() => load({ [other]: 'x' })).toThrow(`${one}: Required with ${other}`);
  expect(load({ [one]: 'x', [other]: 'y' })).toMatchObject({ [one]: 'x', [other]: 'y' });
});

it.each(['API_URL', 'DASHBOARD_URL', 'CLICKHOUSE_URL', 'S3_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'])(
  'refuses an address without its protocol as %s',
  (name) => {
    for (const address of ['mail.example.com', 'mail.example.com:8080', 'localhost:8080']) {
      expect(() => load({ [name]: address })).toThrow(`${name}: Must be a URL such as https://example.com`);
    }
    for (const address of ['https://mail.example.com/a', 'http://localhost:8080', 'http://[::1]:8080']) {
      expect(load({ [name]: address })).toMatchObject({ [name]: address });
    }
  },
);

it.each([
  ['DATABASE_URL', 'postgres://posthaste:a/b#c@db/posthaste', 'postgresql://posthaste:a%2Fb@db/posthaste'],
  ['DATABASE_POOLER_URL', 'pooler:6432', 'postgres:///posthaste?host=/run/pooler'],
  ['SMTP_URL', 'smtp.example.com:587', 'smtp://user@smtp.example.com:587?pool=true'],
])('says how to write %s', (name, wrong, right) => {
  expect(() => load({ [name]: wrong })).toThrow(/^ {2}\w+: Must be a URL such as (postgres|smtps):/m);
  expect(load({ [name]: right })).toMatchObject({ [name]: right });
});

it.each(['DATABASE_URL', 'DATABASE_POOLER_URL'])('refuses several hosts as %s', (name) => {
  for (const hosts of [
    'one,two/db',
    'u:p@one:5432,two:5432/db?target_session_attrs=read-write',
    '/db?host=one,two',
  ]) {
    expect(() => load({ [name]: `postgres://${hosts}` })).toThrow(`${name}: Must name one host`);
  }
  for (const host of ['u:a,b@one/db', 'u:a,b@one?options=-c%20search_path%3Da,b']) {
    expect(load({ [name]: `postgres://${host}` })).toMatchObject({ [name]: `postgres://${host}` });
  }
});

it('takes the hosts that webhooks may call in any case', () => {
  const { OUTBOUND_ALLOW_HOSTS: hosts } = load({ OUTBOUND_ALLOW_HOSTS: 'CRM.Intranet, 10.0.0.7' });
  expect(hosts).toEqual(['crm.intranet', '10.0.0.7']);
});

it('refuses the name of a topic in place of its ARN, which would refuse every notification', () => {
  const right = 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:posthaste';
  expect(load({ SNS_TOPIC_ARNS: `${right}, ${right}` })).toMatchObject({ SNS_TOPIC_ARNS: [right, right] });
  for (const wrong of ['posthaste', `${right},posthaste`, `${right};${right}`]) {
    expect(() => load({ SNS_TOPIC_ARNS: wrong })).toThrow(
      'SNS_TOPIC_ARNS: Must be ARNs such as arn:aws:sns:',
    );
  }
});
