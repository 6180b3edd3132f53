import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface OutboundRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Not with GET. */
  body: string | null;
}

/**
 * `refused`: the URL may not be called, however often it is tried; `failed`: no answer came; `withheld`: `mayGoOut` said
 * so, and nothing was sent. The messages are for the author of the URL and tell nothing of this network.
 */
export type OutboundResult =
  | { outcome: 'answered'; statusCode: number; body: string }
  | { outcome: 'refused'; message: string }
  | { outcome: 'failed'; message: string }
  | { outcome: 'withheld' };

/**
 * Calls URLs that users have given.
 *
 * @param mayGoOut asked once, when the connection stands and nothing was sent yet: whoever calls can note that this
 * call may be answered from now on. What it throws is thrown.
 */
export type OutboundHttp = (
  request: OutboundRequest,
  mayGoOut?: () => Promise<boolean>,
) => Promise<OutboundResult>;

export interface OutboundOptions {
  /** Names and addresses that may be called although they are not public, in lower case. */
  allowHosts: readonly string[];
  /** The addresses of a name; those of the machine's resolver by default. */
  resolve?: (host: string) => Promise<string[]>;
  timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const maxRedirects = 5;
const maxAnswerBytes = 64 * 1024;
/** What survives a redirect to another origin; anything else may be a secret of the first one. */
const harmlessHeaders = new Set(['content-type', 'user-agent']);

class Refusal extends Error {}
class Withheld extends Error {}
/** What `mayGoOut` has thrown. */
class NotAsked extends Error {}

const resolveBySystem = async (host: string) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Every call to a URL that a user gave goes through here: http and https only; the host is resolved once, refused when
 * any of its addresses is not public, and connected to at the very address that was checked, for each redirect anew.
 * Ten seconds and 64 KB in all; what an answer has beyond that is cut off.
 */
export function createOutboundHttp(options: OutboundOptions): OutboundHttp {
  const resolve = options.resolve ?? resolveBySystem;
  const allowed = new Set(options.allowHosts);

  async function addressOf(url: URL): Promise<string> {
    const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    const [first] = addresses;
    if (first === undefined) throw new Error('no address');
    if (!allowed.has(host) && !addresses.every(isPublicAddress)) {
      throw new Refusal('The URL does not lead to a public address');
    }
    return first;
  }

  async function follow(
    request: OutboundRequest,
    mayGoOut: (() => Promise<boolean>) | undefined,
    signal: AbortSignal,
  ): Promise<OutboundResult> {
    let { method, headers, body } = request;
    let url = parseUrl(request.url);
    for (let redirects = 0; ; redirects += 1) {
      const address = await whileNotAborted(addressOf(url), signal);
      const first = redirects === 0 ? mayGoOut : undefined;
      const answer = await exchange({ url, address, method, headers, body }, first, signal);
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
    const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    try {
      return await follow(request, mayGoOut, signal);
    } catch (error) {
      if (error instanceof NotAsked) throw error.cause;
      if (error instanceof Withheld) return { outcome: 'withheld' };
      if (error instanceof Refusal) return { outcome: 'refused', message: error.message };
      if (signal.aborted) return { outcome: 'failed', message: 'No answer came in time' };
      return { outcome: 'failed', message: `No answer came (${codeOf(error)})` };
    }
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
  /** Of a redirect. */
  location: string | undefined;
}

function exchange(
  { url, address, method, headers, body }: Omit<OutboundRequest, 'url'> & { url: URL; address: string },
  mayGoOut: (() => Promise<boolean>) | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>();
  const connectTo: LookupFunction = (_host, { all }, done) => {
    const family = isIP(address);
    if (all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const payload = body === null ? undefined : Buffer.from(body);
  const request = send(url, {
    method,
    headers: { ...headers, ...(payload && { 'Content-Length': payload.length }) },
    agent: false,
    lookup: connectTo,
    signal,
  });
  request.on('error', answered.reject);
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
  // Nothing leaves before the end of the request is written.
  const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  request.once('socket', (socket) => {
    socket.once(connected, () => {
      mayGoOut().then(
        (may) => (may ? request.end(payload) : request.destroy(new Withheld())),
        (cause: unknown) => request.destroy(new NotAsked('The call was not made', { cause })),
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
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
}

function whileNotAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'network error';
