import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../core/config/schema.ts';
import { publicApiUrl } from '../core/config/urls.ts';
import { type Finding, foundOr, messageOf, presentBytes, reporter } from './finding.ts';

const report = reporter('Configuration');

const fewestDifferentCharacters = 10;
const wellKnownPasswords = new Set(['', 'postgres', 'posthaste', 'password', 'admin', 'test', 'changeme']);
const loopback = /^(localhost|127\.|\[::1?\]$|0\.0\.0\.0$)/;

export function checkConfiguration(config: Config): Finding[] {
  return foundOr(report.ok('is valid'), [
    ...checkSecrets(config),
    ...(config.NODE_ENV === 'production' ? checkProduction(config) : []),
    ...checkSending(config),
  ]);
}

function* checkSecrets(config: Config): Generator<Finding> {
  if (new Set(config.APP_SECRET).size < fewestDifferentCharacters) {
    yield report.error(
      'APP_SECRET can be guessed: it protects API keys, sessions and links',
      'Set one from `openssl rand -hex 32` before you have users: changing it makes existing API keys useless.',
    );
  }
  if (wellKnownPasswords.has(passwordOf(config.DATABASE_URL) ?? 'from elsewhere')) {
    yield report.warning(
      'The password of Postgres is empty or well known',
      'Change it in Postgres and in DATABASE_URL.',
    );
  }
}

function passwordOf(url: string): string | undefined {
  return URL.canParse(url) && new URL(url).hostname !== '' ? new URL(url).password : undefined;
}

function* checkProduction(config: Config): Generator<Finding> {
  const { protocol, hostname } = new URL(publicApiUrl(config));
  if (loopback.test(hostname)) {
    yield report.warning(
      `API_URL points to ${hostname}: links in emails work only on this machine`,
      'Set API_URL to an address that recipients can reach.',
    );
  } else if (protocol !== 'https:') {
    yield report.warning(
      'API_URL is not https: cookies and keys are sent unencrypted, and mail programs offer no one-click unsubscribe',
      'Put a proxy with TLS in front of the API.',
    );
  }
  if (config.SNS_LOCAL_HOST !== undefined) {
    yield report.error(
      'SNS_LOCAL_HOST is set: anyone who can reach that host can forge events, and no email leaves the machine',
      'Unless this is a trial, unset it, SES_ENDPOINT and INBOUND_S3_ENDPOINT.',
    );
  }
  if (config.SIGNUP_ENABLED) {
    yield report.warning('Anyone may sign up', 'Set SIGNUP_ENABLED=false unless this is intended.');
  }
}

function* checkSending(config: Config): Generator<Finding> {
  if (config.EMAIL_PROVIDER === 'ses' && config.SNS_TOPIC_ARNS.length === 0) {
    yield report.warning(
      'SNS_TOPIC_ARNS is empty: no deliveries, bounces or complaints are recorded',
      'Set it to the topic of the configuration set.',
    );
  }
  if (config.ACCOUNT_EMAIL_FROM === undefined) {
    yield report.warning('Nobody can reset a password or be invited by email', 'Set ACCOUNT_EMAIL_FROM.');
  }
}

const leastFreeShare = 0.1;
const leastFreeBytes = 1e9;

const diskHere = reporter('Disk here');

/** The disk of this machine that holds uploads: its free space, and whether images can be written to it. */
export async function checkOwnDisk(config: Config): Promise<Finding[]> {
  if (config.S3_BUCKET !== undefined) return [];
  let folder = resolve(config.UPLOADS_DIR);
  // The first upload creates the folder.
  while (!existsSync(folder)) folder = dirname(folder);
  const space = await statfs(folder);
  const free = checkSpace(diskHere, folder, space.bavail * space.bsize, space.blocks * space.bsize);
  return [free, ...(await checkWritable(folder))];
}

async function checkWritable(folder: string): Promise<Finding[]> {
  try {
    // With a slash, a file is refused.
    await access(join(folder, '/'), constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const text = `Images can't be written to ${folder} (UPLOADS_DIR): ${messageOf(error)}`;
    const remedy =
      'Let the user that runs the API and the workers write to it (1000 with Docker), or set UPLOADS_DIR or S3_BUCKET.';
    return [diskHere.error(text, remedy)];
  }
}

export function checkSpace(
  disk: ReturnType<typeof reporter>,
  what: string,
  freeBytes: number,
  totalBytes: number,
): Finding {
  const text = `${what}: ${presentBytes(freeBytes)} of ${presentBytes(totalBytes)} free`;
  if (freeBytes < leastFreeBytes)
    return disk.error(text, 'Free some space now: a full disk stops everything.');
  if (freeBytes < totalBytes * leastFreeShare) return disk.warning(text, 'Enlarge the disk soon.');
  return disk.ok(text);
}
