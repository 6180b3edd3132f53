import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { RateLimitState } from './rate-limiter.ts';
import type { RequestFacts, RouteDescription } from './route.ts';

const acceptableRequestId = /^[A-Za-z0-9_.-]{1,128}$/;

/** One request and its answer on their way through the edge. Handlers see it as `RequestFacts`. */
export class Exchange implements RequestFacts {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly id: string;
  readonly startedAt: number;
  readonly #trustProxy: boolean;
  /** Pattern of the route, such as `/contacts/:id`; never the path itself, which may hold addresses or tokens. */
  route = 'unmatched';
  projectId: string | null = null;
  rateLimit: RateLimitState | null = null;
  crossOrigin = false;
  legacyErrors = false;
  errorPage: RouteDescription['errorPage'];
  /** The rest of the body is not worth reading: the connection is closed after the answer. */
  closeAfter = false;
  /** Gives back what the request holds of memory that others wait for. */
  release: (() => void) | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, trustProxy: boolean) {
    this.req = req;
    this.res = res;
    this.#trustProxy = trustProxy;
    this.startedAt = performance.now();
    const wanted = req.headers['x-request-id'];
    this.id = typeof wanted === 'string' && acceptableRequestId.test(wanted) ? wanted : randomUUID();
  }

  get method(): string {
    return this.req.method ?? 'GET';
  }

  get url(): string {
    return this.req.url ?? '/';
  }

  get headers(): IncomingHttpHeaders {
    return this.req.headers;
  }

  get stream(): Readable {
    return this.req;
  }

  get clientAddress(): string {
    const direct = this.req.socket.remoteAddress ?? '';
    if (!this.#trustProxy) return direct;
    // The last entry is what our own proxy saw; those before it are whatever the client wrote.
    const forwarded = this.req.headers['x-forwarded-for'];
    const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
    return last === undefined || last === '' ? direct : last;
  }
}
