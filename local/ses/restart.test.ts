import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../testing/listen.ts';
import { databaseFile } from './mail/mail-store.ts';
import { createSdkClient, emailTo, soon, startTestSes, temporaryFolder } from './testing/test-ses.ts';
import { startWebhookReceiver } from './testing/webhook-receiver.ts';

const main = new URL('./main.ts', import.meta.url).pathname;

async function startProcess(
  environment: Record<string, string>,
  program = process.execPath,
  parameters = [main],
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(program, parameters, {
    env: { ...process.env, INBOX_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, url: await readyUrl(child) };
}

/** A limit of 8 MB per file stands in for a full disk. Its signal would end the process. */
function startOnFullDisk(folder: string): ReturnType<typeof startProcess> {
  const ignoring = `--import=data:text/javascript,process.on("SIGXFSZ",()=>{})`;
  const limited = ['-c', 'ulimit -f 16384 && exec "$@"', 'sh', process.execPath, ignoring, main];
  return startProcess({ DATA_DIR: folder }, 'sh', limited);
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output.');
  for await (const line of createInterface(child.stdout)) {
    const url = /^local SES ready on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The process ended before it was ready.');
}

describe('restart', () => {
  it('keeps messages, identities and the certificate', async () => {
    const receiver = await startWebhookReceiver({ confirm: true });
    onTestFinished(receiver.close);
    const test = await startTestSes({ webhookUrl: receiver.url });
    await test.verify('example.test');
    await test.client.send(new SendEmailCommand(emailTo('one@x.test')));
    await receiver.until((events) => events.length === 2);
    const key = await readFile(join(test.dataDir, 'signing-key.pem'), 'utf8');
    const again = await test.restart();
    await again.client.send(new SendEmailCommand(emailTo('two@x.test')));
    expect((await again.list()).messages.map(({ to }) => to[0])).toEqual(['two@x.test', 'one@x.test']);
    await receiver.until((events) => events.length === 4);
    expect(await readFile(join(test.dataDir, 'signing-key.pem'), 'utf8')).toBe(key);
    const paths = receiver.messages.map(({ SigningCertURL: url }) => new URL(url).pathname);
    expect(new Set(paths).size).toBe(1);
    expect(receiver.forgeries).toBe(0);
  });

  it('delivers undelivered events, including requested ones, and none twice', async () => {
    const receiver = await startWebhookReceiver({ confirm: true });
    onTestFinished(receiver.close);
    const test = await startTestSes({ webhookUrl: receiver.url });
    await test.verify('example.test');
    await test.client.send(new SendEmailCommand(emailTo('done@x.test')));
    await receiver.until((events) => events.length === 2);
    await expect.poll(async () => (await test.figures()).queued, soon).toBe(0);
    receiver.answerWith(503);
    const { MessageId: id } = await test.client.send(new SendEmailCommand(emailTo('late@x.test')));
    await test.control('POST', `/api/messages/${id}/events`, { type: 'open' });
    await expect.poll(async () => (await test.figures()).retried, soon).toBeGreaterThan(0);

    const again = await test.restart();
    expect(await again.figures()).toMatchObject({ queued: 3, delivered: 0 });
    receiver.answerWith(200);
    await receiver.until((events) => events.length === 5);
    const late = receiver.events().filter(({ mail }) => mail.destination[0] === 'late@x.test');
    expect(late.map(({ eventType }) => eventType).sort()).toEqual(['Delivery', 'Open', 'Send']);
    expect(receiver.messages).toHaveLength(6);
    const before = receiver.attempts.filter(({ SigningCertURL: url }) => url.startsWith(test.ses.url));
    const known = new Set(before.map(({ MessageId: messageId }) => messageId));
    const repeated = receiver.messages.slice(-3).filter(({ MessageId: messageId }) => known.has(messageId));
    expect(repeated.length).toBeGreaterThan(0);
  });
});

describe('process', () => {
  it('loses nothing it has acknowledged when it is killed', async () => {
    const receiver = await startWebhookReceiver({ confirm: true });
    onTestFinished(receiver.close);
    receiver.answerWith(500);
    const environment = { DATA_DIR: await temporaryFolder(), SNS_WEBHOOK_URL: receiver.url };
    const first = await startProcess(environment);
    const client = createSdkClient(first.url);
    onTestFinished(() => client.destroy());
    await createVerified(first.url);
    const sends = Array.from({ length: 300 }, async (_, n) => {
      await client.send(new SendEmailCommand(emailTo(`a${n}@x.test`)));
      return `a${n}@x.test`;
    });
    await Promise.all(sends.slice(0, 151));
    first.child.kill('SIGKILL');
    const outcomes = await Promise.allSettled(sends);
    const answered = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(answered.length).toBeGreaterThan(150);

    const second = await startProcess(environment);
    const response = await fetch(`${second.url}/api/messages?limit=1000`);
    const { messages } = (await response.json()) as { messages: { to: string[] }[] };
    const kept = new Set(messages.map(({ to }) => to[0]));
    expect(answered.filter((address) => !kept.has(address))).toEqual([]);
    receiver.answerWith(200);
    const sendEvents = (): Set<string | undefined> =>
      new Set(
        receiver
          .events()
          .filter(({ eventType }) => eventType === 'Send')
          .map(({ mail }) => mail.destination[0]),
      );
    await receiver.until(() => answered.every((address) => sendEvents().has(address)));
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
  });

  it('refuses an email that does not fit on the disk, keeps the others, and has room again when they are deleted', async () => {
    const { url } = await startOnFullDisk(await temporaryFolder());
    await createVerified(url);
    const client = createSdkClient(url);
    onTestFinished(() => client.destroy());
    const Content = { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 'x'.repeat(1_000_000) } } } };
    const send = () => client.send(new SendEmailCommand(emailTo('ada@x.test', { Content })));
    const total = async () => {
      const answer = await fetch(`${url}/api/messages?limit=100`);
      const list = (await answer.json()) as { total: number; messages: unknown[] };
      expect(list.messages).toHaveLength(list.total);
      return list.total;
    };
    let accepted = 0;
    const fill = async () => {
      for (; accepted < 100; accepted += 1) await send();
    };
    await expect(fill()).rejects.toMatchObject({ name: 'InternalServiceErrorException' });
    expect(accepted).toBeGreaterThan(0);
    expect(await total()).toBe(accepted);
    await fetch(`${url}/api/messages`, { method: 'DELETE' });
    await send();
    expect(await total()).toBe(1);
  });

  it('deletes messages on a disk without the room to shrink the file', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'ses'));
    const database = new DatabaseSync(join(folder, 'ses', databaseFile));
    // Shrinking writes all that is left into a second file, which is a little larger.
    database.exec('create table rest (bytes blob); insert into rest values (zeroblob(8330000))');
    database.close();
    const { url } = await startOnFullDisk(folder);
    await createVerified(url);
    const client = createSdkClient(url);
    onTestFinished(() => client.destroy());
    await client.send(new SendEmailCommand(emailTo('ada@x.test')));
    const { status } = await fetch(`${url}/api/messages`, { method: 'DELETE' });
    const list = await fetch(`${url}/api/messages`);
    expect([status, await list.json()]).toEqual([204, { total: 0, messages: [] }]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal) => {
    const { child } = await startProcess({ DATA_DIR: await temporaryFolder() });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('reports in one sentence that its port is taken', async () => {
    const { ses } = await startTestSes();
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, INBOX_PORT: String(ses.port), DATA_DIR: await temporaryFolder() },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [output] = await once(child.stderr, 'data');
    expect(String(output)).toBe(`Port ${ses.port} is taken. Set INBOX_PORT to a free one.\n`);
    expect(await once(child, 'exit')).toEqual([1, null]);
  });

  it('leaves its files alone when the port is taken', async () => {
    const taken = createServer();
    const port = await listen(taken);
    onTestFinished(() => {
      taken.close();
    });
    const dataDir = await temporaryFolder();
    await expect(startTestSes({ port, dataDir })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

async function createVerified(url: string): Promise<void> {
  await fetch(`${url}/v2/email/identities`, {
    method: 'POST',
    body: JSON.stringify({ EmailIdentity: 'example.test' }),
  });
  await fetch(`${url}/v2/email/identities/example.test`);
}
