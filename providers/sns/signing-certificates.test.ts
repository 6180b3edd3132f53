import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSigningKey } from '../../local/ses/events/sns-signer.ts';
import { startHttpServer, type TestHttpServer } from '../testing/http-server.ts';
import { createSigningCertificates } from './signing-certificates.ts';

const day = 24 * 60 * 60 * 1000;
let pem: string;
let server: TestHttpServer | undefined;

async function certificateValid(fromMs: number, untilMs: number): Promise<string> {
  const made = await generate([{ name: 'commonName', value: 'sns.localhost' }], {
    keySize: 1024,
    algorithm: 'sha256',
    notBeforeDate: new Date(fromMs),
    notAfterDate: new Date(untilMs),
  });
  return made.cert;
}

async function serve(answer: Parameters<typeof startHttpServer>[0], port?: number): Promise<TestHttpServer> {
  server = await startHttpServer(answer, port);
  return server;
}

beforeAll(async () => {
  pem = (await createSigningKey(1024)).certificatePem;
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await server?.close();
  server = undefined;
});

describe('signing certificates', () => {
  it('fetches a certificate once, however many messages wait for it', async () => {
    const { url, requests } = await serve((_request, response) => setTimeout(() => response.end(pem), 50));
    const certificates = createSigningCertificates();
    const keys = await Promise.all(Array.from({ length: 500 }, () => certificates.keyAt(`${url}/a.pem`)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]?.asymmetricKeyType).toBe('rsa');
    expect(await certificates.keyAt(`${url}/a.pem`)).toBe(keys[0]);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Parameters<typeof startHttpServer>[0]]>([
    ['is not there', (_request, response) => response.writeHead(404).end('no')],
    ['is behind a failure', (_request, response) => response.writeHead(500).end(pem)],
    ['is a web page', (_request, response) => response.end('<html></html>')],
    ['is empty', (_request, response) => response.end()],
    ['is cut off', (_request, response) => response.end(pem.slice(0, 300))],
    ['is broken off', (_request, response) => response.destroy()],
  ])('gives no key when the certificate %s', async (_what, answer) => {
    const { url } = await serve(answer);
    expect(await createSigningCertificates().keyAt(`${url}/a.pem`)).toBeUndefined();
  });

  it('follows no redirect', async () => {
    const { url, requests } = await serve((request, response) => {
      if (request.path === '/a.pem') response.writeHead(302, { location: '/b.pem' }).end();
      else response.end(pem);
    });
    expect(await createSigningCertificates().keyAt(`${url}/a.pem`)).toBeUndefined();
    expect(requests.map((request) => request.path)).toEqual(['/a.pem']);
  });

  it('stops reading an endless answer', async () => {
    let sentBytes = 0;
    const ended = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      response.on('close', () => ended.resolve());
      response.write(pem);
      const write = () => {
        do sentBytes += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    expect(await createSigningCertificates().keyAt(`${url}/a.pem`)).toBeUndefined();
    await ended.promise;
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
  });

  it('does not wait forever for a silent host', async () => {
    const { url } = await serve(() => undefined);
    const start = performance.now();
    expect(await createSigningCertificates(200).keyAt(`${url}/a.pem`)).toBeUndefined();
    // Without a limit of our own, fetch gives up after five minutes.
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  it('asks again a second after a failure, and not sooner', async () => {
    let isUp = false;
    const { url, requests } = await serve((_request, response) => {
      if (isUp) response.end(pem);
      else response.writeHead(503).end();
    });
    const certificates = createSigningCertificates();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    expect(await certificates.keyAt(`${url}/a.pem`)).toBeUndefined();
    isUp = true;
    clock.mockReturnValue(10_990);
    // The cache reuses a clock reading for a millisecond.
    await delay(2);
    expect(await certificates.keyAt(`${url}/a.pem`)).toBeUndefined();
    expect(requests).toHaveLength(1);
    clock.mockReturnValue(11_010);
    await delay(2);
    expect(await certificates.keyAt(`${url}/a.pem`)).toBeDefined();
    expect(requests).toHaveLength(2);
  });

  it('gives no key of a certificate that is expired or not yet valid', async () => {
    const now = Date.now();
    const expired = await certificateValid(now - 2 * day, now - day);
    const early = await certificateValid(now + day, now + 2 * day);
    const { url } = await serve((request, response) =>
      response.end(request.path === '/expired.pem' ? expired : early),
    );
    const certificates = createSigningCertificates();
    expect(await certificates.keyAt(`${url}/expired.pem`)).toBeUndefined();
    expect(await certificates.keyAt(`${url}/early.pem`)).toBeUndefined();
  });

  it('drops a known key when its certificate expires', async () => {
    const shortLived = await certificateValid(Date.now() - day, Date.now() + 2 * 60 * 60 * 1000);
    const { url } = await serve((_request, response) => response.end(shortLived));
    const certificates = createSigningCertificates();
    expect(await certificates.keyAt(`${url}/a.pem`)).toBeDefined();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 60 * 60 * 1000 });
    expect(await certificates.keyAt(`${url}/a.pem`)).toBeUndefined();
  });

  it('keeps a known key under a flood of made-up addresses, and fetches few at a time', async () => {
    let open = 0;
    let mostOpen = 0;
    const { url, requests } = await serve((request, response) => {
      if (request.path === '/a.pem') {
        response.end(pem);
        return;
      }
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(404).end();
      }, 5);
    });
    const certificates = createSigningCertificates();
    const key = await certificates.keyAt(`${url}/a.pem`);
    for (let round = 0; round < 20; round += 1) {
      const flood = Array.from({ length: 50 }, (_, index) => `${url}/${round}-${index}.pem`);
      await Promise.all(flood.map((address) => certificates.keyAt(address)));
    }
    expect(mostOpen).toBeLessThanOrEqual(8);
    expect(await certificates.keyAt(`${url}/a.pem`)).toBe(key);
    expect(requests.filter((request) => request.path === '/a.pem')).toHaveLength(1);
  });
});
