import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCredentials } from '../../local/credentials.ts';
import { startTestProcess } from '../../local/testing/processes.ts';
import { startDnsServer } from '../../providers/testing/dns-server.ts';
import { callApi, createTestPerson } from '../setup/people.ts';

export interface FuzzedProduct {
  url: string;
  secretKey: string;
  publicKey: string;
  /** Session cookie of a user who is not a member of the keys' project. */
  session: string;
  /** Log output of warnings and errors only. */
  output(): string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts the product as `npm start` does, with free ports, an empty folder and no rate limits. */
export async function startFuzzedProduct(): Promise<FuzzedProduct> {
  const directory = await mkdtemp(join(tmpdir(), 'posthaste-fuzz-'));
  const dns = await startDnsServer([
    { type: 'NS', name: 'example.com', value: 'ns.example.com' },
    { type: 'MX', name: 'example.com', value: 'mail.example.com' },
    { type: 'A', name: 'example.com', value: '203.0.113.1' },
  ]);
  const product = startTestProcess(process.execPath, [join(root, 'local/main.ts')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: directory,
      ...Object.fromEntries(
        ['PORT', 'INBOX_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'POSTGRES_PORT', 'CLICKHOUSE_PORT'].map(
          (name) => [name, '0'],
        ),
      ),
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      VALIDATE_RESPONSES: 'true',
      VALIDATE_ROWS: 'true',
      API_RATE_LIMIT_PER_MINUTE: '0',
      ACCOUNT_EMAIL_FROM: 'accounts@example.com',
      // A run uses one address, one user and one project, so limits would reject most of its requests.
      AUTH_RATE_LIMIT_PER_MINUTE: '0',
      USER_RATE_LIMIT_PER_MINUTE: '0',
      LOGIN_ATTEMPTS_PER_ACCOUNT: '0',
      HEAVY_READS_PER_PROJECT: '0',
      // No DNS query leaves the machine.
      DNS_SERVERS: dns.address,
    },
  });
  async function stop(): Promise<void> {
    product.child.kill('SIGTERM');
    await product.exit;
    await dns.close();
    await rm(directory, { recursive: true, force: true });
  }
  try {
    await product.waitFor(/Posthaste is ready/, 120_000);
    const credentials = await readCredentials(directory);
    if (credentials === undefined) throw new Error('The product has not written its credentials');
    const { urls, secretKey, publicKey } = credentials;
    const headers = { Authorization: `Bearer ${secretKey}` };
    // The documented examples send from it.
    const domain = await callApi(urls.api, 'POST', '/domains', { domain: 'example.com' }, headers);
    await callApi(urls.api, 'GET', `/domains/${domain.body.id}/verify`, undefined, headers);
    const { cookie } = await createTestPerson(urls.api);
    const session = cookie.slice('token='.length);
    return { url: urls.api, secretKey, publicKey, session, output: product.output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
