import type { IncomingMessage } from 'node:http';
import getRawBody, { type RawBodyError } from 'raw-body';
import { DomainError } from '../../core/errors.ts';
import { ClientGone } from './error-response.ts';

const noBytes = Buffer.alloc(0);
/** What a body holds beyond this is counted against the budget. */
const smallBytes = 1024 * 1024;
/** Memory that the large bodies of a process may take while they are read and parsed. */
const budgetBytes = 400 * 1024 * 1024;
let heldBytes = 0;
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
 * Reads a request body and hands its bytes, none when there is no body, to `parse`. Large bodies share a budget
 * of memory, so that many of them at once can't exhaust the process; what is only announced takes nothing of it.
 *
 * @throws DomainError `PAYLOAD_TOO_LARGE` beyond `limitBytes`: before reading when the length is announced,
 * while reading otherwise; `BAD_REQUEST` when it is compressed (a few bytes could unpack to gigabytes) or of
 * another content type; `SERVICE_UNAVAILABLE` as soon as the budget is used up.
 * @throws ClientGone when the connection ends before the body does
 */
export async function readBody<Parsed>(
  req: IncomingMessage,
  format: 'json' | 'text' | 'form',
  limitBytes: number,
  parse: (bytes: Buffer) => Parsed,
): Promise<Parsed> {
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
  const giveBack = isSmall ? undefined : holdMemory(req);
  try {
    return parse(await getRawBody(req, { length: length ?? null, limit: limitBytes }));
  } catch (error) {
    throw translate(error, limitBytes);
  } finally {
    giveBack?.();
  }
}

/** Counts a body against the budget as it comes, and fails the request once that is used up. @returns gives it back */
function holdMemory(req: IncomingMessage): () => void {
  let received = 0;
  let held = 0;
  const hold = (chunk: Buffer) => {
    received += chunk.length;
    const more = Math.max(0, received - smallBytes) - held;
    if (heldBytes + more > budgetBytes) {
      // For the reader of the body: it stops at an error of the stream.
      req.emit('error', tooManyLarge());
      return;
    }
    held += more;
    heldBytes += more;
  };
  req.on('data', hold);
  return () => {
    req.off('data', hold);
    heldBytes -= held;
  };
}

function tooManyLarge(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many large requests at once', {
    suggestion: 'Try again in a few seconds.',
  });
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
