import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';
import { isPublicAddress } from './public-address.ts';
import type { ResolveHost } from './resolve-host.ts';

export interface OutboundRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

/**
 * `refused`: the URL is not allowed, a retry is useless; `failed`: no answer; `withheld`: `mayGoOut` returned
 * false and nothing was sent. Messages are shown to the author of the URL and reveal nothing about this network.
 */
export type OutboundResult =
  | { outcome: 'answered'; statusCode: number; body: string }
  | { outcome: 'refused'; message: string }
  | { outcome: 'failed'; message: string }
  | { outcome: 'withheld' };

/**
 * Calls URLs given by users.
 *
 * @param mayGoOut called once, when the connection is open and nothing has been sent: the caller can record that
 * the request may take effect from now on. Its errors are rethrown.
 */
export type OutboundHttp = (
  request: OutboundRequest,
  mayGoOut?: () => Promise<boolean>,
) => Promise<OutboundResult>;

export interface OutboundOptions {
  /** Hosts, in lower case, that may be called although they are not public. */
  allowHosts: readonly string[];
  resolve: ResolveHost;
  timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/**
 * Connection attempts to a host with several addresses. `node:http` passes these options to `node:net`, but its types
 * omit them.
 */
const attempts = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_500,
} satisfies Partial<TcpSocketConnectOpts>;
const maxRedirects = 5;
const maxAnswerBytes = 64 * 1024;
// Other headers may hold secrets of the first origin and are dropped on a cross-origin redirect.
const harmlessHeaders = new Set(['content-type', 'user-agent']);

class Refusal extends Error {}
class Withheld extends Error {}
// Wraps an error of `mayGoOut`.
class MayGoOutFailed extends Error {}

/**
 * Protects against SSRF: http and https only; the host is resolved once, refused if any of its addresses is not public,
 * and connected to at a checked address; again for each redirect. Limited to ten seconds and 64 KB in all; longer
 * answers are truncated. The ten seconds restart once `mayGoOut` has allowed the call: the time it took to record that
 * is not the receiver's fault, and a call given up after it has left would be repeated.
 */
export function createOutboundHttp(options: OutboundOptions): OutboundHttp {
  const { resolve } = options;
  const allowed = new Set(options.allowHosts);

  async function addressesOf(url: URL): Promise<string[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    if (!allowed.has(host) && !addresses.every(isPublicAddress)) {
      throw new Refusal('The URL does not resolve to a public address');
    }
    return addresses;
  }

  async function follow(
    request: OutboundRequest,
    mayGoOut: (() => Promise<boolean>) | undefined,
    signal: AbortSignal,
  ): Promise<OutboundResult> {
    let { method, headers, body } = request;
    let url = parseUrl(request.url);
    for (let redirects = 0; ; redirects += 1) {
      const addresses = await whileNotAborted(addressesOf(url), signal);
      const first = redirects === 0 ? mayGoOut : undefined;
      const answer = await exchange({ url, addresses, method, headers, body }, first, signal);
      if (answer.location === undefined) {
        return { outcome: 'answered', statusCode: answer.statusCode, body: answer.body };
      }
      if (redirects === maxRedirects) throw new Refusal(`The URL redirects more than ${maxRedirects} times`);
      const target = parseUrl(answer.location, url.href);
      if (target.origin !== url.origin) {
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => harmlessHeaders.has(name.toLowerCase())),
        );
      }
      if (answer.statusCode === 303 || (answer.statusCode < 303 && method === 'POST')) {
        method = 'GET';
        body = null;
      }
      url = target;
    }
  }

  return async (request, mayGoOut) => {
    const timeout = abortAfter(options.timeoutMs ?? defaultTimeoutMs);
    const { signal } = timeout;
    const goOut =
      mayGoOut &&
      (async () => {
        const may = await mayGoOut();
        timeout.restart();
        return may;
      });
    try {
      return await follow(request, goOut, signal);
    } catch (error) {
      if (error instanceof MayGoOutFailed) throw error.cause;
      if (error instanceof Withheld) return { outcome: 'withheld' };
      if (error instanceof Refusal) return { outcome: 'refused', message: error.message };
      if (signal.aborted) return { outcome: 'failed', message: 'No answer came in time' };
      return { outcome: 'failed', message: `No answer came (${codeOf(error)})` };
    } finally {
      timeout.clear();
    }
  };
}

const lastLookMs = 100;

/**
 * Aborts in two steps. After a pause of the process, timers run before sockets are read: a single timer would give up
 * on an answer that has already arrived, and the call would be repeated.
 */
function abortAfter(ms: number): { signal: AbortSignal; restart(): void; clear(): void } {
  const abort = new AbortController();
  let timer: NodeJS.Timeout;
  const start = () => {
    timer = setTimeout(
      () => {
        timer = setTimeout(() => abort.abort(), lastLookMs);
      },
      Math.max(0, ms - lastLookMs),
    );
  };
  const clear = () => clearTimeout(timer);
  start();
  return {
    signal: abort.signal,
    restart() {
      clear();
      if (!abort.signal.aborted) start();
    },
    clear,
  };
}

function parseUrl(text: string, base?: string): URL {
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Refusal('Only http and https URLs are called');
  }
  return url;
}

interface Answer {
  statusCode: number;
  body: string;
  location: string | undefined;
}

function exchange(
  { url, addresses, method, headers, body }: Omit<OutboundRequest, 'url'> & { url: URL; addresses: string[] },
  mayGoOut: (() => Promise<boolean>) | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>();
  // Node asks for all addresses and tries one after the other.
  const connectTo: LookupFunction = (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const payload = body === null ? undefined : Buffer.from(body);
  const request = send(url, {
    method,
    headers: { ...headers, ...(payload && { 'Content-Length': payload.length }) },
    agent: false,
    lookup: connectTo,
    ...attempts,
    signal,
  });
  request.on('error', answered.reject);
  // On an upgrade, Node hands the connection over and reports nothing else about it, not even an abort.
  request.on('upgrade', ({ statusCode = 0 }, socket) => {
    socket.destroy();
    answered.resolve({ statusCode, body: '', location: undefined });
  });
  request.on('response', (response) => {
    const statusCode = response.statusCode ?? 0;
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
    const location = isRedirect ? response.headers.location : undefined;
    if (location !== undefined) {
      response.destroy();
      answered.resolve({ statusCode, body: '', location });
    } else {
      readAnswer(response).then(
        (text) => answered.resolve({ statusCode, body: text, location }),
        answered.reject,
      );
    }
  });
  if (mayGoOut === undefined) {
    request.end(payload);
    return answered.promise;
  }
  // Nothing is sent before `request.end`.
  const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  request.once('socket', (socket) => {
    socket.once(connected, () => {
      mayGoOut().then(
        (may) => (may ? request.end(payload) : request.destroy(new Withheld())),
        (cause: unknown) => request.destroy(new MayGoOutFailed('The call was not made', { cause })),
      );
    });
  });
  return answered.promise;
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes >= maxAnswerBytes) break;
  }
  // Drops a byte order mark, with which no JSON parses.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxAnswerBytes));
}

function whileNotAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'network error';
