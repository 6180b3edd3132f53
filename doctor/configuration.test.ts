import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { checkConfiguration, checkSpace } from './configuration.ts';
import { reporter } from './finding.ts';

const sound = {
  APP_SECRET: 'f3b1c0de92a84756e8d7f3b1c0de92a84756e8d7',
  DATABASE_URL: 'postgres://posthaste:5f2e8a71@db.example.com/posthaste',
  API_URL: 'https://mail.example.com',
  SNS_TOPIC_ARNS: 'arn:aws:sns:eu-central-1:1:posthaste',
  ACCOUNT_EMAIL_FROM: 'accounts@example.com',
  SIGNUP_ENABLED: 'false',
};
const check = (changes: Record<string, string> = {}) =>
  checkConfiguration(loadConfig({ ...sound, ...changes }));

it('reports nothing about a sound configuration', () => {
  expect(check()).toEqual([{ area: 'Configuration', level: 'ok', text: 'is valid' }]);
});

it.each([
  ['error', { APP_SECRET: 'a'.repeat(40) }, 'APP_SECRET can be guessed'],
  ['error', { SNS_LOCAL_HOST: '127.0.0.1:8025' }, 'SNS_LOCAL_HOST is set'],
  ['warning', { DATABASE_URL: 'postgres://posthaste:posthaste@db/posthaste' }, 'password of Postgres'],
  ['warning', { DATABASE_URL: 'postgres://posthaste@db/posthaste' }, 'password of Postgres'],
  ['warning', { API_URL: 'http://localhost:8080' }, 'API_URL points to localhost'],
  ['warning', { API_URL: '' }, 'API_URL points to 127.0.0.1'],
  ['warning', { API_URL: '', HOST: '::' }, 'API_URL points to [::]'],
  ['warning', { API_URL: 'http://mail.example.com' }, 'no one-click unsubscribe'],
  ['warning', { SIGNUP_ENABLED: 'true' }, 'Anyone may sign up'],
  ['warning', { SNS_TOPIC_ARNS: '' }, 'SNS_TOPIC_ARNS is empty'],
  ['warning', { ACCOUNT_EMAIL_FROM: '' }, 'Nobody can reset a password'],
])('%s: %j', (level, changes, text) => {
  expect(check(changes)).toEqual([
    { area: 'Configuration', level, text: expect.stringContaining(text), remedy: expect.any(String) },
  ]);
});

it('allows on a developer machine what production must not have', () => {
  expect(check({ NODE_ENV: 'development', API_URL: '', SIGNUP_ENABLED: 'true' })).toMatchObject([
    { level: 'ok' },
  ]);
});

it.each([
  [50e9, 100e9, 'ok'],
  [5e9, 100e9, 'warning'],
  [0.5e9, 2e9, 'error'],
])('%d of %d bytes free is %s', (free, total, level) => {
  expect(checkSpace(reporter('Disk'), 'the disk', free, total).level).toBe(level);
});
