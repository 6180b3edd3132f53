import type { IncomingMessage } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import getRawBody, { type RawBodyError } from 'raw-body';
import { DomainError } from '../../core/errors.ts';
import { addressSubject } from './address-subject.ts';
import { type BodyClaim, createBodyMemory, tooManyLarge } from './body-memory.ts';
import { ClientGone } from './error-response.ts';
import type { Exchange } from './exchange.ts';

const noBytes = Buffer.alloc(0);
/** A body may be as long before it needs memory of the shared budget: most requests never ask for any. */
const smallBytes = 128 * 1024;
const mebibyte = 1024 * 1024;
/**
 * The process holds a body about three times while it is parsed and twice until it is written. An owner's share has
 * room for the largest body.
 */
const memory = createBodyMemory({
  budgetBytes: 96 * mebibyte,
  bytesPerOwner: 48 * mebibyte,
  waitingPerOwner: 250,
  waiting: 500,
  waitMs: 30_000,
});
/** While others wait for memory, a body that holds some has to come at least so fast. */
const slowestBytes = 128 * 1024;
const paceMs = 2_000;
const jsonContentType = /^application\/(?:[\w.+-]+\+)?json$/;

/** Media type in lower case and charset of the header `Content-Type`; both undefined without one. */
function contentTypeOf(req: IncomingMessage): { type: string | undefined; charset: string | undefined } {
  const header = req.headers['content-type'];
  if (header === undefined || header.trim() === '') return { type: undefined, charset: undefined };
  const [type, ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  return { type: type?.trim(), charset: charset?.slice('charset='.length).replaceAll('"', '') };
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The one content type that almost every caller sends; saves taking it apart. */
function isPlainJson(header: string | undefined): boolean {
  return header === 'application/json' || header === 'application/json; charset=utf-8';
}

/**
 * @throws DomainError `BAD_REQUEST` when the body is not of the format that the route takes. A body without a
 * content type is taken for what the route wants.
 */
function checkContentType(req: IncomingMessage, format: 'json' | 'text' | 'form'): void {
  if (format === 'text') return;
  if (format === 'json' && isPlainJson(req.headers['content-type'])) return;
  const { type, charset } = contentTypeOf(req);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new DomainError('BAD_REQUEST', 'The request body must be encoded as UTF-8');
  }
  if (type === undefined) return;
  if (format === 'json' && !jsonContentType.test(type)) throw wrongContentType('application/json');
  if (format === 'form' && type !== 'application/x-www-form-urlencoded') {
    throw wrongContentType('application/x-www-form-urlencoded');
  }
}

function wrongContentType(expected: string): DomainError {
  return new DomainError('BAD_REQUEST', `The Content-Type of the request body must be ${expected}`, {
    suggestion: `Send the header Content-Type: ${expected}.`,
  });
}

/**
 * Reads a request body and hands its bytes, none when there is no body, to `parse`. Large bodies share memory with
 * others (`BodyMemory`), wait for it while they are held back, and keep it until `exchange.release` is called; what is
 * only announced takes none.
 *
 * @throws DomainError `PAYLOAD_TOO_LARGE` beyond `limitBytes`: before reading when the length is announced,
 * while reading otherwise; `BAD_REQUEST` when it is compressed (a few bytes could unpack to gigabytes) or of
 * another content type; `SERVICE_UNAVAILABLE` when there is no memory for it.
 * @throws ClientGone when the connection ends before the body does
 */
export async function readBody<Parsed>(
  exchange: Exchange,
  format: 'json' | 'text' | 'form',
  limitBytes: number,
  parse: (bytes: Buffer) => Parsed,
): Promise<Parsed> {
  const { req } = exchange;
  if (!hasBody(req)) return parse(noBytes);
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new DomainError('BAD_REQUEST', 'Compressed request bodies are not accepted', {
      suggestion: 'Send the body without Content-Encoding.',
    });
  }
  const length = req.headers['content-length'];
  if (length !== undefined && Number(length) > limitBytes) throw tooLarge(limitBytes);
  checkContentType(req, format);
  const isSmall = length !== undefined && Number(length) <= smallBytes;
  try {
    if (!isSmall) return parse(await readLarge(exchange, length ?? null, limitBytes));
    return parse(await getRawBody(req, { length, limit: limitBytes }));
  } catch (error) {
    throw translate(error, limitBytes);
  }
}

/** Reads a body that asks for memory once its first part is there, and stops until it has got it. */
async function readLarge(exchange: Exchange, length: string | null, limit: number): Promise<Buffer> {
  const { req } = exchange;
  let received = 0;
  let claim: BodyClaim | undefined;
  let pace: NodeJS.Timeout | undefined;
  let isOver = false;
  const fail = (error: unknown) => {
    // For the reader of the body: it stops at an error of the stream.
    if (!isOver) req.emit('error', error);
  };
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received <= smallBytes || claim !== undefined) return;
    const owner = exchange.projectId ?? addressSubject(exchange.clientAddress);
    claim = memory.claim(owner, length === null ? limit : Number(length));
    exchange.release = claim.release;
    req.pause();
    claim.granted.then(() => {
      if (isOver) return;
      req.resume();
      let before = received;
      pace = setInterval(() => {
        if (memory.waiting > 0 && received - before < slowestBytes) fail(tooManyLarge(memory.waiting));
        before = received;
      }, paceMs);
    }, fail);
  };
  req.on('data', count);
  try {
    const body = await getRawBody(req, { length, limit });
    claim?.shrinkTo(body.length);
    // One at a time, and small requests in between: each takes tens of milliseconds to parse.
    if (claim !== undefined) await nextTurn();
    return body;
  } finally {
    isOver = true;
    clearInterval(pace);
    req.off('data', count);
  }
}

let turn: Promise<void> = Promise.resolve();

/** Settles for one caller per round of the event loop. */
function nextTurn(): Promise<void> {
  turn = turn.then(() => immediate());
  return turn;
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('PAYLOAD_TOO_LARGE', `The request body is larger than ${limitBytes} bytes`, {
    details: { limitBytes },
  });
}

function translate(error: unknown, limitBytes: number): unknown {
  if (!(error instanceof Error) || error instanceof DomainError) return error;
  const { type, code }: RawBodyError = error;
  if (type === 'entity.too.large') return tooLarge(limitBytes);
  if (type === 'request.size.invalid') {
    return new DomainError('BAD_REQUEST', 'The request body is not as long as Content-Length says');
  }
  if (type === 'request.aborted' || code === 'ECONNRESET' || code === 'ECONNABORTED') {
    return new ClientGone('The client went away', { cause: error });
  }
  return error;
}
