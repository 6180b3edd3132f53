import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { checkConfiguration, checkOwnDisk, checkSpace } from './configuration.ts';
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

it('says that images cannot be written to the folder of uploads, before one is uploaded', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-doctor-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  // In a directory without permissions, root could write.
  const file = path.join(directory, 'file');
  await writeFile(file, '');
  const errorsAt = async (UPLOADS_DIR: string, changes: Record<string, string> = {}) => {
    const findings = await checkOwnDisk(loadConfig({ ...sound, ...changes, UPLOADS_DIR }));
    return findings.filter(({ text }) => text.includes('UPLOADS_DIR'));
  };
  const fault = {
    area: 'Disk here',
    level: 'error',
    text: expect.stringContaining(`can't be written to ${file}`),
    remedy: expect.stringContaining('S3_BUCKET'),
  };
  expect(await errorsAt(path.join(file, 'uploads'))).toEqual([fault]);
  expect(await errorsAt(path.join(directory, 'new', 'uploads'))).toEqual([]);
  expect(await errorsAt(path.join(file, 'uploads'), { S3_BUCKET: 'images' })).toEqual([]);
});
