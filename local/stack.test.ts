import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from './credentials.ts';
import { processStartTime } from './process-identity.ts';
import { listen } from './testing/listen.ts';
import { processesWith, startTestProcess, type TestProcess, until } from './testing/processes.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const startMs = 180_000;
let root: string;
let data: string;
const running: TestProcess[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-stack-'));
  data = join(root, 'data');
});
afterAll(async () => {
  for (const { child, exit } of running) {
    child.kill('SIGKILL');
    await exit;
  }
  await until(() => processesWith(root).length === 0);
  await rm(root, { recursive: true });
});

function start(environment: Record<string, string> = {}): TestProcess {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: data, ...environment };
  const started = startTestProcess(process.execPath, [main], { cwd: root, env });
  running.push(started);
  return started;
}

const isReady = /^Posthaste is ready: .*$/m;
const ready = (stack: TestProcess) => stack.waitFor(isReady, startMs);

const read = async (file: string) => JSON.parse(await readFile(join(data, file), 'utf8'));

const credentials = (): Promise<Credentials> => read('credentials.json');

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  // A connection with an unread response is still in use, and a clean end would wait for it.
  await answer.text();
  return answer.status;
}

const sentEmails = `SELECT uniqExact(email_id) FROM event WHERE name = 'email.sent'`;

async function askClickHouse(statement: string) {
  const { CLICKHOUSE_PORT } = await read('ports.json');
  const { clickhousePassword } = await read('secrets.json');
  const asked = `http://127.0.0.1:${CLICKHOUSE_PORT}/?database=posthaste&query=${encodeURIComponent(statement)}`;
  const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': clickhousePassword };
  const answer = await fetch(asked, { headers });
  return { asked, status: answer.status, text: (await answer.text()).trim() };
}

async function expectNothingLeft(): Promise<void> {
  const names = await Promise.all(
    processesWith(root).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  expect(names.filter((name) => name !== '')).toEqual([]);
}

describe('npm start', { timeout: 3 * startMs }, () => {
  let first: Credentials;
  let stack: TestProcess;

  it('creates an account, shows how to use it, and answers everywhere', async () => {
    // Any free ports, so that no other test takes them in between; the next starts remember them.
    const anyPort = {
      PORT: '0',
      INBOX_PORT: '0',
      TEMPORAL_PORT: '0',
      TEMPORAL_UI_PORT: '0',
      POSTGRES_PORT: '0',
      CLICKHOUSE_PORT: '0',
    };
    stack = start(anyPort);
    await ready(stack);
    first = await credentials();
    expect((await stat(join(data, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect(stack.output().match(/^Posthaste is ready/gm)).toHaveLength(1);
    const { email, password, publicKey, secretKey, urls } = first;
    for (const shown of [email, password, publicKey, secretKey, ...Object.values(urls)]) {
      expect(stack.output()).toContain(shown);
    }
    const answers = [`${urls.api}/ready`, urls.docs, `${urls.inbox}/health`, `${urls.temporalUi}`];
    for (const url of answers) expect(await statusOf(url), url).toBe(200);
  });

  it('hands an email from the new domain to the inbox', async () => {
    const { urls, secretKey, domain } = first;
    const answer = await fetch(`${urls.api}/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        to: 'someone@example.com',
        from: `hello@${domain}`,
        subject: 'First',
        body: '<p>Hi</p>',
      }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    await until(async () => {
      const messages = await fetch(`${urls.inbox}/api/messages?subject=First`);
      return (await messages.text()).includes('"total":1');
    });
  });

  it('answers ClickHouse queries over HTTP with the password', async () => {
    const { status, asked } = await askClickHouse('SELECT uniqExact(email_id) FROM event');
    expect(status).toBe(200);
    await until(async () => (await askClickHouse(sentEmails)).text === '1');
    expect(await statusOf(asked)).toBe(403);
  });

  it('says that freeing space is enough when the disk is full', async () => {
    const { postgresPassword } = await read('secrets.json');
    const { POSTGRES_PORT } = await read('ports.json');
    const client = new pg.Client(
      `postgres://posthaste:${encodeURIComponent(postgresPassword)}@127.0.0.1:${POSTGRES_PORT}/posthaste`,
    );
    await client.connect();
    await client.query(`do $$ begin raise warning 'No space left on device'; end $$`);
    await client.end();
    await stack.waitFor(/is full\. Free some space, and everything continues without a restart/);
  });

  it('ends cleanly', async () => {
    stack.child.kill('SIGTERM');
    expect((await stack.exit).code, stack.output()).toBe(0);
    await expectNothingLeft();
    expect(await readdir(data)).not.toContain('posthaste.pid');
  });

  it('keeps account and ports at the next start, and shows no keys again', async () => {
    stack = start();
    await ready(stack);
    expect(await credentials()).toEqual(first);
    expect(await askClickHouse(sentEmails)).toMatchObject({ status: 200, text: '1' });
    expect(stack.output()).not.toContain(first.secretKey);
  });

  it('refuses a second start on the same data, which changes nothing', async () => {
    const second = start();
    expect((await second.exit).code).toBe(1);
    expect(second.output()).toBe(
      `Posthaste is already running on ${data} (process ${stack.pid}). Stop it first, or set DATA_DIR to another folder.\n`,
    );
    expect(await statusOf(`${first.urls.api}/ready`)).toBe(200);
  });

  it('waits while the previous one is ending', async () => {
    const before = stack;
    before.child.kill('SIGTERM');
    await before.waitFor(/Stopping/);
    // It may end before the next one checks.
    process.kill(before.pid, 'SIGSTOP');
    stack = start();
    await stack.waitFor(/still shutting down/);
    process.kill(before.pid, 'SIGCONT');
    await ready(stack);
    expect((await before.exit).code).toBe(0);
    expect(stack.output()).toContain(
      `Posthaste is still shutting down in ${data} (process ${before.pid}); waiting for it …\n`,
    );
  });

  it('starts again immediately after it was killed, and uses another port when its own is taken', async () => {
    stack.child.kill('SIGKILL');
    await stack.exit;
    const occupied = createServer().listen(Number(new URL(first.urls.api).port), '127.0.0.1');
    await once(occupied, 'listening');
    stack = start();
    await ready(stack);
    occupied.close();
    const { urls, ...account } = await credentials();
    expect(urls.api).not.toBe(first.urls.api);
    expect({ ...account, urls: first.urls }).toEqual(first);
  });

  it('stops everything with one message when a part dies', async () => {
    const [temporal] = processesWith(join(data, 'temporal', 'temporal.db'));
    process.kill(temporal ?? 0, 'SIGKILL');
    expect((await stack.exit).code).toBe(1);
    expect(stack.output()).toMatch(
      /^Temporal ended unexpectedly \(signal SIGKILL\): did the machine run out of memory\?$/m,
    );
    expect(stack.output()).not.toMatch(/^\s+at /m);
    await expectNothingLeft();
  });

  it('does the same when ClickHouse dies', async () => {
    stack = start();
    await ready(stack);
    const { pid } = JSON.parse(await readFile(join(data, 'clickhouse.pid.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    expect((await stack.exit).code).toBe(1);
    expect(stack.output()).toMatch(
      /^ClickHouse ended unexpectedly \(signal SIGKILL\): did the machine run out of memory\?$/m,
    );
    await expectNothingLeft();
  });

  it('ends by force at the second signal', async () => {
    stack = start();
    await ready(stack);
    const children = processesWith(data).filter((pid) => pid !== stack.pid);
    stack.child.kill('SIGINT');
    await stack.waitFor(/Stopping/);
    await delay(550);
    stack.child.kill('SIGINT');
    await stack.exit;
    await until(() => children.every((pid) => processStartTime(pid) === undefined));
  });

  it.for([200, 1500])('ends cleanly when it is stopped %i ms after its start', async (afterMs) => {
    const early = start({ DATA_DIR: join(root, `early-${afterMs}`) });
    await delay(afterMs);
    early.child.kill('SIGINT');
    const { code, signal } = await early.exit;
    // Before Node has loaded the program, nothing can catch the signal.
    expect(code === 0 || signal === 'SIGINT', early.output()).toBe(true);
    expect(early.output()).toMatch(/^(Stopping …\n)?$/);
    await expectNothingLeft();
  });
});

describe('a start that cannot succeed', { timeout: startMs }, () => {
  it('names the port that was set and is taken', async () => {
    const occupied = createServer();
    const port = await listen(occupied);
    const stack = start({ DATA_DIR: join(root, 'wrong'), PORT: String(port) });
    expect((await stack.exit).code).toBe(1);
    expect(stack.output()).toMatch(
      new RegExp(`^Port ${port} \\(PORT\\) is taken by another program\\. .*\\n$`),
    );
    occupied.close();
  });

  it.for([
    [{ PORT: 'eighty' }, /^The configuration is not valid:\n {2}PORT: .*\n$/],
    [
      { IDEMPOTENCY_KEY_TTL_HOURS: 'soon' },
      /^The configuration is not valid:\n {2}IDEMPOTENCY_KEY_TTL_HOURS: .*\n$/,
    ],
    [
      { TEMPORAL_CLI_PATH: '/no/temporal' },
      /^TEMPORAL_CLI_PATH is \/no\/temporal, which is not a program.*\n$/,
    ],
    [{ DATA_DIR: '/dev/null/data' }, /^The data folder \/dev\/null\/data can't be written: .*\n$/],
  ] as const)('says what is wrong with %o', async ([environment, sentence]) => {
    const stack = start({ DATA_DIR: join(root, 'wrong'), ...environment });
    expect((await stack.exit).code).toBe(1);
    expect(stack.output()).toMatch(sentence);
    await expectNothingLeft();
  });
});
