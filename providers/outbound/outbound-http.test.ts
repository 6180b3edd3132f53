import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../local/testing/listen.ts';
import { type DnsServer, startDnsServer, type TestRecord } from '../testing/dns-server.ts';
import { createOutboundHttp, type OutboundRequest } from './outbound-http.ts';
import { isPublicAddress } from './public-address.ts';

let dns: DnsServer;
let server: Server;
let port: number;
let handle: RequestListener;
let requests: { method: string; url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  dns = await startDnsServer();
  server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    handle(request, response);
  });
  port = await listen(server);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await dns.close();
});
beforeEach(() => {
  requests = [];
  handle = (_request, response) => response.end('hello');
});
afterEach(() => {
  dns.records = [];
});

const resolve = async (host: string) => {
  const resolver = new Resolver({ timeout: 30_000, tries: 1 });
  resolver.setServers([dns.address]);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
};
const a = (name: string, value: string): TestRecord => ({
  type: value.includes(':') ? 'AAAA' : 'A',
  name,
  value,
});

/** Only `hooks.test` may lead to this machine. */
const send = (url: string, rest: Partial<OutboundRequest> = {}, timeoutMs = 30_000) =>
  createOutboundHttp({ allowHosts: ['hooks.test', 'other.test'], resolve, timeoutMs })({
    url,
    method: 'POST',
    headers: {},
    body: '{}',
    ...rest,
  });
const refused = { outcome: 'refused', message: expect.stringContaining('public address') };

const privateAddresses = [
  ['this network', '0.0.0.0'],
  ['private, 10/8', '10.1.2.3'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['loopback elsewhere', '127.8.8.8'],
  ['cloud metadata', '169.254.169.254'],
  ['private, 172.16/12', '172.31.255.255'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation', '192.0.2.1'],
  ['6to4 relay', '192.88.99.1'],
  ['private, 192.168/16', '192.168.0.1'],
  ['benchmarks', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified IPv6', '::'],
  ['loopback IPv6', '::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-compatible', '::7f00:1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64, local', '64:ff9b:1::7f00:1'],
  ['6to4', '2002:7f00:1::1'],
  ['Teredo', '2001:0:7f00:1::1'],
  ['documentation IPv6', '2001:db8::1'],
  ['unique local', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['site-local', 'fec0::1'],
  ['multicast IPv6', 'ff02::1'],
];

describe('an address that is not public is refused', () => {
  it.each(privateAddresses)('%s, by itself and behind a name', async (_name, address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await send(`http://${host}:${port}/`)).toEqual(refused);
    dns.records = [a('evil.test', address)];
    expect(await send(`http://evil.test:${port}/`)).toEqual(refused);
    expect(requests).toEqual([]);
  });

  it.each(['2130706433', '0x7f000001', '0177.0.0.1', '127.1'])(
    'also when it is written as %s',
    async (host) => {
      expect(await send(`http://${host}:${port}/`)).toEqual(refused);
    },
  );

  it('also when it is one of several', async () => {
    dns.records = [a('evil.test', '93.184.215.14'), a('evil.test', '127.0.0.1')];
    expect(await send(`http://evil.test:${port}/`)).toEqual(refused);
  });

  it('and others are not', () => {
    for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2001:4860::8888']) {
      expect(isPublicAddress(address), address).toBe(true);
    }
    expect(isPublicAddress('example.com')).toBe(false);
  });
});

describe('a name', () => {
  it('is resolved once, and the address that was checked is the one that is called', async () => {
    dns.records = [a('hooks.test', '127.0.0.1')];
    dns.questions = [];
    let resolutions = 0;
    const rebinding = createOutboundHttp({
      allowHosts: [],
      timeoutMs: 500,
      resolve: async () => {
        resolutions += 1;
        // Public when it is checked, this machine from then on.
        return resolutions === 1 ? ['192.0.9.1'] : ['127.0.0.1'];
      },
    });
    const result = await rebinding({
      url: `http://rebind.test:${port}/`,
      method: 'GET',
      headers: {},
      body: null,
    });
    expect(result.outcome).toBe('failed');
    expect(resolutions).toBe(1);
    expect(requests).toEqual([]);
    expect(await send(`http://hooks.test:${port}/`)).toMatchObject({ outcome: 'answered', body: 'hello' });
    expect(dns.questions.toSorted()).toEqual(['A hooks.test', 'AAAA hooks.test']);
  });

  it('is called at its next address when nobody listens at the first', async () => {
    const resolve = async () => ['127.0.0.2', '127.0.0.1'];
    const call = createOutboundHttp({ allowHosts: ['hooks.test'], resolve, timeoutMs: 30_000 });
    const url = `http://hooks.test:${port}/`;
    const result = await call({ url, method: 'POST', headers: {}, body: '{}' }, async () => true);
    expect(result).toMatchObject({ outcome: 'answered', body: 'hello' });
    expect(requests).toHaveLength(1);
  });

  it('that cannot be resolved is a failure, which may be temporary', async () => {
    expect(await send('http://nowhere.test/')).toMatchObject({ outcome: 'failed' });
  });
});

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) => {
    handle = (request, response) =>
      request.url === '/end'
        ? response.end('there')
        : response.writeHead(status, { Location: location }).end();
  };
  beforeEach(() => {
    dns.records = [a('hooks.test', '127.0.0.1'), a('other.test', '127.0.0.1'), a('evil.test', '127.0.0.1')];
  });

  it.each([
    ['a private address', () => `http://127.0.0.1:${port}/end`, 'public address'],
    ['a private name', () => `http://evil.test:${port}/end`, 'public address'],
    ['another scheme', () => 'file:///etc/passwd', 'http'],
  ])('to %s is refused', async (_name, location, message) => {
    redirectTo(location());
    expect(await send(`http://hooks.test:${port}/`)).toEqual({
      outcome: 'refused',
      message: expect.stringContaining(message),
    });
    expect(requests).toHaveLength(1);
  });

  it('elsewhere takes no secret along, and keeps the method where it says so', async () => {
    redirectTo(`http://other.test:${port}/end`, 307);
    const headers = { Authorization: 'Bearer x', 'X-Key': 'y', 'Content-Type': 'text/plain' };
    expect(await send(`http://hooks.test:${port}/`, { headers })).toMatchObject({ body: 'there' });
    expect(requests[1]).toMatchObject({ method: 'POST', headers: { 'content-type': 'text/plain' } });
    expect(requests[1]?.headers).not.toHaveProperty('authorization');
    expect(requests[1]?.headers).not.toHaveProperty('x-key');
    redirectTo('/end', 303);
    expect(await send(`http://hooks.test:${port}/`, { headers })).toMatchObject({ body: 'there' });
    expect(requests[3]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer x' } });
  });

  it('is followed five times and no more', async () => {
    redirectTo('/again');
    expect(await send(`http://hooks.test:${port}/`)).toMatchObject({ outcome: 'refused' });
    expect(requests).toHaveLength(6);
  });
});

describe('an answer', () => {
  beforeEach(() => {
    dns.records = [a('hooks.test', '127.0.0.1')];
  });

  it('is truncated at 64 KB', async () => {
    handle = (_request, response) => {
      response.on('error', () => undefined);
      response.end('x'.repeat(10_000_000));
    };
    const result = await send(`http://hooks.test:${port}/`);
    expect(result.outcome === 'answered' && result.body.length).toBe(65_536);
  });

  it.each<[string, RequestListener]>([
    ['never begins', () => undefined],
    ['never ends', (_request, response) => void response.write('x')],
  ])('that %s is given up', async (_name, listener) => {
    handle = listener;
    expect(await send(`http://hooks.test:${port}/`, {}, 300)).toEqual({
      outcome: 'failed',
      message: 'No answer came in time',
    });
  });

  it('that is cut off is a failure', async () => {
    handle = (request) => request.socket.destroy();
    expect(await send(`http://hooks.test:${port}/`)).toMatchObject({ outcome: 'failed' });
  });

  it('that upgrades the protocol has no body, and closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    handle = ({ socket }) => {
      socket.on('close', () => closed.resolve());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    };
    const answer = { outcome: 'answered', statusCode: 101, body: '' };
    expect(await send(`http://hooks.test:${port}/`, {}, 3_000)).toEqual(answer);
    await closed.promise;
  });
});

describe('a call that its caller records', () => {
  const asked: number[] = [];
  const ask = (may: boolean) => async () => {
    asked.push(requests.length);
    return may;
  };
  const noted = (url: string, mayGoOut: () => Promise<boolean>, timeoutMs = 30_000) =>
    createOutboundHttp({ allowHosts: ['hooks.test'], resolve, timeoutMs })(
      { url, method: 'POST', headers: {}, body: '{}' },
      mayGoOut,
    );
  beforeEach(() => {
    dns.records = [a('hooks.test', '127.0.0.1')];
    asked.length = 0;
  });

  it('is recorded once, before anything is sent, whatever it redirects to', async () => {
    handle = (request, response) =>
      request.url === '/end' ? response.end('there') : response.writeHead(302, { Location: '/end' }).end();
    expect(await noted(`http://hooks.test:${port}/`, ask(true))).toMatchObject({ body: 'there' });
    expect([asked, requests.length]).toEqual([[0], 2]);
  });

  it('is not sent when the caller withholds it, or when recording fails', async () => {
    expect(await noted(`http://hooks.test:${port}/`, ask(false))).toEqual({ outcome: 'withheld' });
    const failing = noted(`http://hooks.test:${port}/`, async () => Promise.reject(new Error('no database')));
    await expect(failing).rejects.toThrow('no database');
    expect([asked, requests]).toEqual([[0], []]);
  });

  it('gets its full time for the answer, however long recording took', async () => {
    handle = (_request, response) => setTimeout(() => response.end('late'), 3_000);
    const slowly = async () => {
      await delay(3_000);
      return true;
    };
    expect(await noted(`http://hooks.test:${port}/`, slowly, 5_000)).toMatchObject({ body: 'late' });
  });

  it('is not recorded when nobody listens', async () => {
    expect(await noted('http://hooks.test:1/', ask(true))).toMatchObject({ outcome: 'failed' });
    expect(asked).toEqual([]);
  });
});

it.each(['ftp://example.com/', 'javascript:alert(1)', 'not a url', '', 'http://[fe80::1%25eth0]/'])(
  'refuses %j',
  async (url) => {
    expect(await send(url)).toMatchObject({ outcome: 'refused' });
  },
);

it('reads an answer that arrived while its process was paused', async () => {
  dns.records = [a('hooks.test', '127.0.0.1')];
  const remote = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:http').createServer((request, response) => {
       parentPort.postMessage('asked');
       setTimeout(() => response.end('there'), 200);
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  const [remotePort] = await once(remote, 'message');
  remote.once('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500));
  expect(await send(`http://hooks.test:${remotePort}/`, {}, 3_000)).toMatchObject({ body: 'there' });
  await remote.terminate();
});
