import { setImmediate as immediate } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { DomainError } from '../../core/errors.ts';
import type { Claim } from '../../core/fair-semaphore.ts';
import { addressSubject } from '../access/address-subject.ts';
import { createCpuTurns } from '../services/cpu-turns.ts';
import { bodyMemory, mebibyte, smallBytes, watchPace } from './body-memory.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import { ClientGone } from './error-response.ts';
import { parseJson, refuseUnstorable } from './parse-json.ts';
import type { BodyFormat, Route } from './route.ts';

const keyedBodyLimitBytes = 4 * mebibyte;
const otherBodyLimitBytes = mebibyte;
const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';
const otherCharset = /;\s*charset=(?!"?(?:utf-?8|us-ascii)"?\s*(?:;|$))/i;

/**
 * Reads the body with koa-body and leaves the parsed value in `ctx.request.body`. Bodies beyond 128 KB wait for shared
 * memory (`BodyMemory`) and hold it until the request is handled.
 *
 * @throws DomainError `PAYLOAD_TOO_LARGE` (before reading when `Content-Length` exceeds the limit); `BAD_REQUEST`
 * for a compressed body (a few bytes could unpack to gigabytes) or the wrong content type; `INVALID_JSON`;
 * `SERVICE_UNAVAILABLE` without memory; `RATE_LIMIT_EXCEEDED` when too many of the caller wait for their turn
 * @throws ClientGone when the connection ends before the body, or before its turn
 */
export function readBody(route: Route): EdgeMiddleware {
  const format = route.bodyFormat ?? 'json';
  const takesKey = route.auth === 'secretKey' || route.auth === 'publicKey';
  const limitBytes = route.bodyLimitBytes ?? (takesKey ? keyedBodyLimitBytes : otherBodyLimitBytes);
  const read = createReader(format, limitBytes);
  const parse = ({ request }: EdgeContext) => {
    request.body = parsers[format](request.body);
  };

  return async (ctx, next) => {
    const { length } = ctx.request;
    if (!length && ctx.req.headers['transfer-encoding'] === undefined) {
      parse(ctx);
      return next();
    }
    refuseEarly(ctx, limitBytes);
    checkContentType(ctx, format);
    if (length !== undefined && length <= smallBytes) {
      await read(ctx);
      parse(ctx);
      return next();
    }
    const owner = ctx.state.project?.id ?? addressSubject(ctx.ip);
    const claim = await readLarge(ctx, owner, read, limitBytes);
    if (claim === undefined) {
      parse(ctx);
      return next();
    }
    try {
      // Up to its first wait, what follows validates the body.
      return await turns.inTurn(owner, () => {
        // The client may repeat a write, which then must not run twice.
        if (ctx.res.destroyed) throw new ClientGone('The client left before its turn');
        parse(ctx);
        return next();
      });
    } finally {
      claim.release();
    }
  };
}

type Reader = (ctx: EdgeContext) => Promise<void>;

const koaBodyOptions = {
  // Bytes (no encoding): depth and size of JSON are checked before it is parsed.
  json: { text: true, encoding: '' },
  form: { urlencoded: true },
  text: { text: true },
};

function createReader(format: BodyFormat, limit: number): Reader {
  const read: Middleware = koaBody({
    json: false,
    text: false,
    urlencoded: false,
    textTypes: ['*/*'],
    textLimit: limit,
    formLimit: limit,
    ...koaBodyOptions[format],
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      throw translate(error, limit);
    },
  });
  return (ctx) => read(ctx, async () => undefined);
}

type Body = EdgeContext['request']['body'];

const parsers = {
  json: (body: Body) => (Buffer.isBuffer(body) && body.length > 0 ? parseJson(body) : {}),
  form: (body: Body = {}) => {
    refuseUnstorable(body);
    return body;
  },
  text: (body: Body = '') => body,
} as const;

function refuseEarly(ctx: EdgeContext, limitBytes: number): void {
  const encoding = ctx.req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new DomainError('BAD_REQUEST', 'Compressed request bodies are not accepted', {
      suggestion: 'Send the body without Content-Encoding.',
    });
  }
  if (Number(ctx.request.length) > limitBytes) throw tooLarge(limitBytes);
}

/**
 * Checks the content type and sets a missing one. A `text` route takes any type, and its header becomes `text/plain`.
 *
 * @throws DomainError `BAD_REQUEST` when the type or charset does not fit the route
 */
function checkContentType(ctx: EdgeContext, format: BodyFormat): void {
  const { headers } = ctx.req;
  const header = headers['content-type']?.trim();
  const name = format === 'json' ? jsonType : formType;
  if (format === 'text') headers['content-type'] = 'text/plain';
  // Fast path for almost every caller.
  else if (header === jsonType && format === 'json') return;
  else if (!header) headers['content-type'] = name;
  else if (otherCharset.test(header)) {
    throw new DomainError('BAD_REQUEST', 'The request body must be encoded as UTF-8');
  } else if (!ctx.is(name, ...(format === 'json' ? ['application/*+json'] : []))) {
    throw new DomainError('BAD_REQUEST', `The Content-Type of the request body must be ${name}`, {
      suggestion: `Send the header Content-Type: ${name}.`,
    });
  }
}

/**
 * Reads a large body. Once more than `smallBytes` have arrived (an announced length alone claims nothing), it
 * claims memory and pauses until granted.
 *
 * @returns the memory; undefined if the body is small after all
 */
async function readLarge(
  ctx: EdgeContext,
  owner: string,
  read: Reader,
  limitBytes: number,
): Promise<Claim | undefined> {
  const { req } = ctx;
  let received = 0;
  let claim: Claim | undefined;
  let stopWatching: (() => void) | undefined;
  let isOver = false;
  const fail = (error: unknown) => {
    // koa-body stops at an error of the stream.
    if (!isOver) req.emit('error', error);
  };
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received <= smallBytes || claim !== undefined) return;
    const bytes = ctx.request.length ?? limitBytes;
    claim = bodyMemory.claim(owner, bytes);
    req.pause();
    claim.granted.then(() => {
      if (isOver) return;
      req.resume();
      stopWatching = watchPace(bytes, () => received, fail);
    }, fail);
  };
  req.on('data', count);
  try {
    await read(ctx);
  } catch (error) {
    claim?.release();
    throw error;
  } finally {
    // From here on, nobody listens for an error of the stream.
    isOver = true;
    stopWatching?.();
    req.off('data', count);
  }
  claim?.shrinkTo(received);
  // Parsing takes tens of milliseconds: one body per event-loop turn lets small requests in between.
  if (claim !== undefined) await nextTurn();
  return claim;
}

/** A body of 50,000 values takes 50 ms to parse and validate, and a project may send a thousand a minute. */
const turns = createCpuTurns('large requests');

let turn: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  turn = turn.then(() => immediate());
  return turn;
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('PAYLOAD_TOO_LARGE', `The request body is larger than ${limitBytes} bytes`, {
    details: { limitBytes },
  });
}

// koa-body reads with raw-body; these are raw-body's errors.
function translate(error: Error & { type?: string; code?: string }, limitBytes: number): Error {
  const { type, code } = error;
  if (type === 'entity.too.large') return tooLarge(limitBytes);
  if (type === 'request.size.invalid') {
    return new DomainError('BAD_REQUEST', 'The request body is shorter than its Content-Length');
  }
  if (type === 'request.aborted' || code === 'ECONNRESET' || code === 'ECONNABORTED') {
    return new ClientGone('The client went away', { cause: error });
  }
  return error;
}
