import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../../local/testing/listen.ts';
import { exampleEmail } from '../testing/example-email.ts';
import { type SeenRequest, startHttpServer, type TestHttpServer } from '../testing/http-server.ts';
import { createSesProvider } from './ses.ts';
import { createSesAccountClient, createSesClient, type SesTimeouts } from './ses-client.ts';

/** Whatever ends sooner than these was ended by a shorter limit. */
const roomy: SesTimeouts = { connectMs: 10_000, answerMs: 10_000, idleMs: 5_000 };
const short: SesTimeouts = { connectMs: 300, answerMs: 400, idleMs: 5_000 };
/** Only a call that never gives up takes longer. */
const minuteMs = 60_000;
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const accepted = JSON.stringify({ MessageId: '0100-abc' });
const finished: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const finish of finished.splice(0)) await finish();
});

function provide(endpoint: string, timeouts = roomy, longestCallMs?: number) {
  const options = { region: 'us-east-1', endpoint, credentials, timeouts };
  const clients = [createSesClient(options), createSesAccountClient(options)] as const;
  const provider = createSesProvider(...clients, 'posthaste', longestCallMs);
  finished.push(() => provider.close());
  return provider;
}

async function serve(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<TestHttpServer> {
  const server = await startHttpServer(answer);
  finished.push(() => server.close());
  return server;
}

/** An answer as SES gives it: the error's name in a header, sometimes with more behind a colon, or in the body. */
function failing(status: number, name: string, message: string) {
  return (_request: SeenRequest, response: ServerResponse) =>
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'x-amzn-errortype': `${name}:http://internal`,
      })
      .end(JSON.stringify({ message }));
}

describe('what SES answers', () => {
  it.each<[number, string, string, object]>([
    [400, 'MessageRejected', 'Email address is not verified.', { outcome: 'refused' }],
    [400, 'BadRequestException', 'Illegal address', { outcome: 'refused' }],
    [400, 'MailFromDomainNotVerifiedException', 'Not verified', { outcome: 'refused' }],
    [413, 'RequestEntityTooLargeException', 'Too large', { outcome: 'refused' }],
    [
      429,
      'TooManyRequestsException',
      'Maximum sending rate exceeded.',
      { outcome: 'later', retryInMs: 1_000 },
    ],
    [400, 'ThrottlingException', 'Rate exceeded', { outcome: 'later', retryInMs: 1_000 }],
    [
      429,
      'TooManyRequestsException',
      'Daily message quota exceeded.',
      { outcome: 'later', retryInMs: 600_000 },
    ],
    [400, 'LimitExceededException', 'Daily sending quota exceeded', { outcome: 'later', retryInMs: 600_000 }],
    [400, 'SendingPausedException', 'Paused', { outcome: 'later', retryInMs: 60_000 }],
    [400, 'AccountSuspendedException', 'Suspended', { outcome: 'later', retryInMs: 60_000 }],
    [
      404,
      'NotFoundException',
      'Configuration set <x> does not exist',
      { outcome: 'later', retryInMs: 60_000 },
    ],
    [403, 'AccessDeniedException', 'not authorized', { outcome: 'later', retryInMs: 60_000 }],
    [403, 'ExpiredTokenException', 'expired', { outcome: 'later', retryInMs: 60_000 }],
    [403, 'InvalidSignatureException', 'Signature expired', { outcome: 'later', retryInMs: 60_000 }],
    [403, 'UnrecognizedClientException', 'invalid token', { outcome: 'later', retryInMs: 60_000 }],
    [408, 'RequestTimeoutException', 'could not read the request', { outcome: 'later', retryInMs: 5_000 }],
    [503, 'ServiceUnavailable', 'temporary failure', { outcome: 'later', retryInMs: 10_000 }],
    [500, 'InternalFailure', 'unknown error', { outcome: 'unknown' }],
    [502, 'BadGateway', '', { outcome: 'unknown' }],
    [504, 'GatewayTimeout', '', { outcome: 'unknown' }],
  ])('%i %s (%s) is %o, after one request', async (status, name, message, expected) => {
    vi.stubEnv('AWS_RETRY_MODE', 'adaptive');
    vi.stubEnv('AWS_MAX_ATTEMPTS', '5');
    const { url, requests } = await serve(failing(status, name, message));
    const answer = await provide(url).handOver(exampleEmail());
    expect(answer).toMatchObject(expected);
    expect(answer).toHaveProperty('reason', expect.stringContaining(name));
    expect(requests).toHaveLength(1);
  });

  it.each<[string, number, string | undefined, object]>([
    ['a proxy that forbids', 403, '<html>Forbidden</html>', { outcome: 'later' }],
    ['a proxy that dislikes the request', 400, '<html>Bad</html>', { outcome: 'later' }],
    ['an empty refusal', 400, '', { outcome: 'later' }],
    ['a proxy that wants a password', 407, '', { outcome: 'later' }],
    ['a load balancer without a target', 503, '<html></html>', { outcome: 'later' }],
    ['a failure without a reason', 500, '<html></html>', { outcome: 'unknown' }],
    ['a redirect', 302, '', { outcome: 'unknown' }],
    ['an accepting answer that is cut off', 200, '{"MessageId":"01', { outcome: 'unknown' }],
    ['an accepting answer that is not JSON', 200, '<html>', { outcome: 'unknown' }],
    ['an accepting answer without an id', 200, '{}', { outcome: 'unknown' }],
    ['an accepting answer without a body', 200, '', { outcome: 'unknown' }],
  ])('%s: %i %j is %o', async (_what, status, body, expected) => {
    const { url, requests } = await serve((_request, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(body),
    );
    expect(await provide(url).handOver(exampleEmail())).toMatchObject(expected);
    expect(requests).toHaveLength(1);
  });

  it('keeps the reason to one short line', async () => {
    const { url } = await serve(failing(400, 'MessageRejected', `first\nsecond ${'x'.repeat(2_000)}`));
    expect(await provide(url).handOver(exampleEmail())).toEqual({
      outcome: 'refused',
      reason: 'MessageRejected: first',
    });
    const long = await serve(failing(400, 'MessageRejected', 'x'.repeat(2_000)));
    const answer = await provide(long.url).handOver(exampleEmail());
    expect(answer).toHaveProperty('reason', expect.stringMatching(/^MessageRejected: x{483}$/));
  });
});

describe('when no answer comes', () => {
  it('reports unknown for an email whose reply was dropped, and calls once', async () => {
    const { url, requests } = await serve((_request, response) => response.destroy());
    expect(await provide(url).handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
    expect(requests).toHaveLength(1);
  });

  it('reports unknown when the reply is dropped on a kept connection, too', async () => {
    let served = 0;
    const server = await serve((_request, response) => {
      served += 1;
      if (served === 1) response.end(accepted);
      else response.destroy();
    });
    const provider = provide(server.url);
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
    expect(server.connections).toBe(1);
    expect(server.requests).toHaveLength(2);
  });

  it('gives up on a reply that takes too long', async () => {
    const { url, requests } = await serve(() => undefined);
    const start = performance.now();
    expect(await provide(url, short).handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
    expect(performance.now() - start).toBeLessThan(minuteMs);
    expect(requests).toHaveLength(1);
  });

  it('gives up on a reply that stops in the middle', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"MessageId":');
    });
    const start = performance.now();
    expect(await provide(url, short).handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
    expect(performance.now() - start).toBeLessThan(minuteMs);
  });

  it('gives up on a reply that never ends, alone and in bulk, and on its connection', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const provider = provide(server.url, roomy, 200);
    const emails = [exampleEmail(), exampleEmail()];
    const signal = new AbortController().signal;
    const unknown = { outcome: 'unknown', reason: expect.stringContaining('abort') };
    expect(await provider.handOver(exampleEmail())).toMatchObject(unknown);
    expect(await provider.handOverMany(emails, signal)).toMatchObject([unknown, unknown]);
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('reports unknown when the connection breaks in the middle of the reply', async () => {
    const { url } = await serve((_request, response) => {
      response
        .writeHead(200, { 'content-length': '100' })
        .write('{"MessageId":"01', () => response.destroy());
    });
    expect(await provide(url).handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a large email on a slow connection', () => {
  const largeBytes = 16 * 1024 * 1024;
  const bytes = Buffer.alloc(largeBytes, 'x');
  const file = {
    filename: 'film.mp4',
    contentType: 'video/mp4',
    cid: null,
    disposition: 'attachment' as const,
    bytes,
  };
  const large = () => exampleEmail({ attachments: [file] });
  async function listenRaw(onConnection: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      finished.push(() => socket.destroy());
      onConnection(socket);
    });
    finished.push(() => server.close());
    return `http://127.0.0.1:${await listen(server)}`;
  }

  it('is tried later when it was not sent in time, without a doubt about it', async () => {
    const endpoint = await listenRaw((socket) => socket.pause());
    expect(await provide(endpoint, short).handOver(large())).toMatchObject({ outcome: 'later' });
  });

  it('is tried later when the connection breaks in between', async () => {
    const endpoint = await listenRaw((socket) => socket.once('data', () => socket.destroy()));
    expect(await provide(endpoint).handOver(large())).toMatchObject({ outcome: 'later' });
  });

  it('is accepted even if sending it takes longer than an answer may', async () => {
    let received = 0;
    const startedAt = performance.now();
    let tookMs = 0;
    const waits = { ...roomy, answerMs: 1_000 };
    const endpoint = await listenRaw((socket) => {
      socket.on('data', (piece) => {
        received += piece.length;
        if (received > largeBytes && piece.at(-1) === '}'.charCodeAt(0)) {
          tookMs = performance.now() - startedAt;
          socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${accepted.length}\r\n\r\n${accepted}`);
        }
        socket.pause();
        setTimeout(() => socket.resume(), 10);
      });
    });
    expect(await provide(endpoint, waits).handOver(large())).toMatchObject({ outcome: 'accepted' });
    expect(tookMs).toBeGreaterThan(waits.answerMs);
  });

  it('is in doubt when the answer to the whole email is lost', async () => {
    const { url } = await serve((_request, response) => response.destroy());
    expect(await provide(url).handOver(large())).toMatchObject({ outcome: 'unknown' });
  });
});

describe('when nothing can be sent', () => {
  it.each([
    ['nobody listens', 'http://127.0.0.1:1', 'ECONNREFUSED'],
    ['nobody listens on a name', 'http://localhost:1', 'ECONNREFUSED'],
    ['the name is unknown', 'http://ses.invalid', 'ses.invalid'],
  ])('tries later when %s', async (_what, endpoint, reason) => {
    expect(await provide(endpoint).handOver(exampleEmail())).toMatchObject({
      outcome: 'later',
      reason: expect.stringContaining(reason),
      retryInMs: 5_000,
    });
  });

  it('tries later when the connection is not accepted in time', async () => {
    const endpoint = await listenWithoutAccepting();
    const start = performance.now();
    const waits = { ...roomy, connectMs: 300, answerMs: 2 * minuteMs };
    expect(await provide(endpoint, waits).handOver(exampleEmail())).toMatchObject({ outcome: 'later' });
    expect(performance.now() - start).toBeLessThan(minuteMs);
  });

  it('tries later when the connection ends before it is secured', async () => {
    const server = createServer((socket) => socket.destroy());
    finished.push(() => server.close());
    const endpoint = `https://127.0.0.1:${await listen(server)}`;
    expect(await provide(endpoint).handOver(exampleEmail())).toMatchObject({ outcome: 'later' });
  });
});

describe('with the default AWS credential chain', () => {
  beforeEach(() => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  });

  /** STS gives the credentials for a token in a file, any text here. */
  async function serveSts(status: number, body: string, ready?: Promise<void>): Promise<TestHttpServer> {
    const sts = await serve(async (_request, response) => {
      await ready;
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    });
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/sender');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', import.meta.filename);
    vi.stubEnv('AWS_ENDPOINT_URL_STS', sts.url);
    return sts;
  }

  /**
   * A single and a bulk call, each with a client that has no credentials yet.
   *
   * @param afterwards what happens before the check that nothing was sent
   */
  async function expectLater(
    reason: string,
    longestCallMs?: number,
    afterwards?: (clients: readonly SESv2Client[]) => Promise<void>,
  ) {
    const { url, requests } = await serve((_request, response) => response.end(accepted));
    const options = { region: 'us-east-1', endpoint: url, credentials: undefined };
    const clients = [createSesClient(options), createSesClient(options)] as const;
    for (const client of clients) finished.push(() => client.destroy());
    const [single, bulk] = clients.map((client) =>
      createSesProvider(client, client, 'posthaste', longestCallMs),
    );
    const later = { outcome: 'later', reason: expect.stringContaining(reason), retryInMs: 5_000 };
    expect(await single?.handOver(exampleEmail())).toMatchObject(later);
    const emails = [exampleEmail(), exampleEmail()];
    const { signal } = new AbortController();
    expect(await bulk?.handOverMany(emails, signal)).toMatchObject([later, later]);
    await afterwards?.(clients);
    expect(requests).toEqual([]);
  }

  it('tries later when there are no credentials', async () => {
    await expectLater('CredentialsProviderError');
  });

  it('tries later when the token file is missing', async () => {
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/sender');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', '/nonexistent/token');
    await expectLater('ENOENT');
  });

  it('tries later when STS fails', async () => {
    const error = '<Error><Code>InternalFailure</Code><Message>Broken</Message></Error>';
    const sts = await serveSts(500, `<ErrorResponse>${error}</ErrorResponse>`);
    await expectLater('InternalFailure');
    expect(sts.requests).not.toEqual([]);
  });

  it('tries later when the credentials do not come in time, and sends nothing once they come', async () => {
    const keys = '<AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey>';
    const given = `<Credentials>${keys}<SessionToken>c</SessionToken></Credentials>`;
    const action = 'AssumeRoleWithWebIdentity';
    const result = `<${action}Result>${given}</${action}Result>`;
    const { promise, resolve } = Promise.withResolvers<void>();
    finished.push(resolve);
    await serveSts(200, `<${action}Response>${result}</${action}Response>`, promise);
    await expectLater('No AWS credentials in time', 100, async (clients) => {
      resolve();
      for (const client of clients) {
        expect(await client.config.credentials()).toMatchObject({ accessKeyId: 'a' });
      }
      // A call that went on would have reached the server by now.
      await delay(100);
    });
  });
});

describe('connections', () => {
  it('are kept from call to call', async () => {
    const server = await serve((_request, response) => response.end(accepted));
    const provider = provide(server.url, { ...roomy, idleMs: 60_000 });
    for (let call = 0; call < 5; call += 1) await provider.handOver(exampleEmail());
    expect(server.connections).toBe(1);
  });

  it('are closed by us when they are idle', async () => {
    const server = await serve((_request, response) => response.end(accepted));
    const provider = provide(server.url, { ...roomy, idleMs: 100 });
    for (let call = 1; call <= 2; call += 1) {
      expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
      await expect.poll(() => server.openConnections, { timeout: 90_000 }).toBe(0);
      expect(server.connections).toBe(call);
    }
  });

  it('carry an answer that takes longer than an idle connection is kept', async () => {
    const server = await serve((_request, response) => setTimeout(() => response.end(accepted), 300));
    const provider = provide(server.url, { ...roomy, idleMs: 100 });
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
  });

  it('carry 100 calls at once', async () => {
    const server = await serve((_request, response) => setTimeout(() => response.end(accepted), 20));
    const provider = provide(server.url);
    const answers = await Promise.all(Array.from({ length: 100 }, () => provider.handOver(exampleEmail())));
    expect(new Set(answers.map((answer) => answer.outcome))).toEqual(new Set(['accepted']));
    expect(server.requests).toHaveLength(100);
  });
});

describe('the account client', () => {
  it('repeats a throttled call', async () => {
    let asked = 0;
    const { url } = await serve((_request, response) => {
      asked += 1;
      if (asked < 3) failing(429, 'TooManyRequestsException', 'Too many requests')(_request, response);
      else response.end(JSON.stringify({ SendQuota: { MaxSendRate: 14 } }));
    });
    expect(await provide(url).grantedRatePerSecond()).toBe(14);
    expect(asked).toBe(3);
  });
});

/** A port with a full connection queue: the process behind it is stopped and accepts none. */
async function listenWithoutAccepting(): Promise<string> {
  const program =
    "const s=require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},()=>console.log(s.address().port))";
  const child: ChildProcess = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  finished.push(() => child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('No output');
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const port = Number(String(line).trim());
  const fill = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  finished.push(() => fill.forEach((socket) => void socket.destroy()));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return `http://127.0.0.1:${port}`;
}
