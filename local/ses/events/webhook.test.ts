import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  Server as TlsServer,
} from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SignedSnsMessage } from './sns-signer.ts';
import { Webhook } from './webhook.ts';

const message: SignedSnsMessage = {
  Type: 'Notification',
  MessageId: 'message-1',
  TopicArn: 'arn:topic',
  Message: 'Grüße',
  Timestamp: '2026-11-24T00:00:00.000Z',
  SignatureVersion: '2',
  Signature: 'signature',
};

type Answer = (socket: Socket) => unknown;

/** Answers the n-th request with `answers[n]`, all further ones with the last. */
async function startServer(answers: Answer[], server: Server = createServer()) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (!text.endsWith('}')) return;
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(text);
      text = '';
      void answer?.(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, requests, connections: () => connections };
}

function openWebhook(url: string): Webhook {
  const webhook = new Webhook(url);
  onTestFinished(() => webhook.close());
  return webhook;
}

const writes =
  (text: string): Answer =>
  (socket) =>
    socket.write(text);
const ends =
  (text: string): Answer =>
  (socket) =>
    socket.end(text);
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nDate: now\r\n\r\ndone';

describe('a webhook', { timeout: 10_000 }, () => {
  it('gets the message with the headers of SNS at its path, with the credentials of its address', async () => {
    const server = await startServer([writes(ok)]);
    const webhook = openWebhook(`http://ada:p%40ss@localhost:${server.port}/hooks/sns?a=1`);
    expect(await webhook.post(message, 'arn:subscription')).toEqual({ status: 200 });
    const body = JSON.stringify(message);
    expect(server.requests).toEqual([
      [
        'POST /hooks/sns?a=1 HTTP/1.1',
        `Host: localhost:${server.port}`,
        'Connection: keep-alive',
        'User-Agent: Amazon Simple Notification Service Agent',
        'Content-Type: text/plain; charset=UTF-8',
        `Authorization: Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'x-amz-sns-message-type: Notification',
        'x-amz-sns-message-id: message-1',
        'x-amz-sns-topic-arn: arn:topic',
        'x-amz-sns-subscription-arn: arn:subscription',
        '',
        body,
      ].join('\r\n'),
    ]);
  });

  it.each([
    ['a length', ok],
    ['a length in another case', ok.toLowerCase().replace('http', 'HTTP')],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\n\r\n'],
    ['chunks without content', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('keeps the connection after an answer with %s, also one that comes byte by byte', async (_, answer) => {
    const slowly: Answer = async (socket) => {
      for (const byte of answer) {
        socket.write(byte);
        await sleep(1);
      }
    };
    const server = await startServer([slowly, writes(answer)]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    for (let round = 0; round < 3; round += 1) {
      expect(await webhook.post(message, null)).toEqual({ status: 200 });
    }
    expect([server.requests.length, server.connections()]).toEqual([3, 1]);
  });

  it.each([
    ['says that it is the last', writes(ok.replace('Date: now', 'Connection: close'))],
    ['is HTTP/1.0', writes(ok.replace('1.1', '1.0'))],
    ['ends with the connection', ends('HTTP/1.1 200 OK\r\nDate: now\r\n\r\ndone')],
    ['has a length, and the connection ends', ends(ok)],
  ])('gets the next message on another connection after an answer that %s', async (_, answer) => {
    const server = await startServer([answer]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    for (let round = 1; round <= 3; round += 1) {
      expect(await webhook.post(message, null)).toEqual({ status: 200 });
      await sleep(20);
      expect([server.requests.length, server.connections()]).toEqual([round, round]);
    }
  });

  it.each([
    ['the connection is cut', (socket: Socket) => socket.destroy()],
    ['the answer is cut', ends('HTTP/1.1 20')],
    ['the answer is not HTTP', ends('220 smtp.example.com ready\r\n\r\n')],
    ['the answer has no end', writes('x'.repeat(2 * 1024 * 1024))],
  ])('has not answered when %s, and gets the next message', async (_, answer) => {
    const server = await startServer([answer, writes(ok)]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    expect(await webhook.post(message, null)).toEqual({ status: null });
    expect(await webhook.post(message, null)).toEqual({ status: 200 });
  });

  it('does not take what it says unasked for the answer to the next message', async () => {
    const twice: Answer = async (socket) => {
      socket.write(ok);
      await sleep(5);
      socket.write(ok);
    };
    const server = await startServer([twice, writes(ok.replace('200 OK', '503 Unavailable'))]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    expect(await webhook.post(message, null)).toEqual({ status: 200 });
    await sleep(50);
    expect(await webhook.post(message, null)).toEqual({ status: 503 });
    expect(server.connections()).toBe(2);
  });

  it('gets messages at once on as many connections, which later ones use again', async () => {
    const server = await startServer([(socket) => setTimeout(() => socket.write(ok), 50)]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    for (let round = 0; round < 2; round += 1) {
      const posted = Array.from({ length: 20 }, () => webhook.post(message, null));
      expect(new Set((await Promise.all(posted)).map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect([server.requests.length, server.connections()]).toEqual([40, 20]);
  });

  it('gets the next message on another connection when the last one was idle for seconds', async () => {
    const server = await startServer([writes(ok)]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    for (const [idleMs, connections] of [
      [0, 1],
      [2_900, 1],
      [3_100, 2],
    ] as const) {
      vi.setSystemTime(Date.now() + idleMs);
      expect(await webhook.post(message, null)).toEqual({ status: 200 });
      expect(server.connections()).toBe(connections);
    }
  });

  it('that nothing listens for has not answered', async () => {
    const server = await startServer([writes(ok)]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    const waiting = openWebhook(`http://127.0.0.1:1/`);
    expect(await waiting.post(message, null)).toEqual({ status: null });
    expect(await webhook.post(message, null)).toEqual({ status: 200 });
  });

  it('gives up what is under way when it is closed', async () => {
    const server = await startServer([() => {}]);
    const webhook = openWebhook(`http://127.0.0.1:${server.port}/`);
    const posted = webhook.post(message, null);
    await expect.poll(() => server.requests.length).toBe(1);
    webhook.close();
    expect(await posted).toEqual({ status: null });
  });

  it('gets messages by TLS if its certificate is trusted, and only then', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    });
    const names: unknown[] = [];
    const secure = createTlsServer({ key, cert }, ({ servername }) => names.push(servername));
    const server = await startServer([writes(ok)], secure);
    const url = `https://localhost:${server.port}/`;
    expect(await openWebhook(url).post(message, null)).toEqual({ status: null });
    const trusted = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, cert]);
    expect(await openWebhook(url).post(message, null)).toEqual({ status: 200 });
    expect(names).toContain('localhost');
    const other = openWebhook(url.replace('localhost', '127.0.0.1'));
    expect(await other.post(message, null)).toEqual({ status: null });
  });
});
