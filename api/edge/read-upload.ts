import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type Koa from 'koa';
import { DomainError } from '../../core/errors.ts';
import type { Claim } from '../../core/fair-semaphore.ts';
import { bodyMemory, smallBytes, watchPace } from './body-memory.ts';
import { ClientGone } from './error-response.ts';

export interface UploadOptions {
  field: string;
  limitBytes: number;
  /** Owner whose share of body memory the file takes up; undefined when the file is never held as a whole. */
  heldFor?: string | undefined;
}

const formBytes = 64 * 1024;

/**
 * Streams the one file of a multipart form to `consume`, which must read it to the end; back-pressure reaches the
 * client. The stream ends only after the whole form was read: a refused form then stores nothing, and all text fields
 * are known. Uses Busboy, because koa-body's formidable delivers a form only once it has ended.
 *
 * @throws DomainError `BAD_REQUEST` for a malformed form, or one without exactly one file in the field;
 * `PAYLOAD_TOO_LARGE` as soon as the file exceeds its limit; `SERVICE_UNAVAILABLE` without memory. The stream given to
 * `consume` throws the same error.
 * @throws ClientGone when the connection ends before the body
 */
export async function readUpload<Result>(
  ctx: Pick<Koa.ExtendableContext, 'req'>,
  options: UploadOptions,
  consume: (bytes: AsyncIterable<Uint8Array>, fields: ReadonlyMap<string, string>) => Promise<Result>,
): Promise<Result> {
  const { field, limitBytes } = options;
  const stream = ctx.req;
  const form = openForm(stream, options);
  const read = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let failure: Error | undefined;
  let file: BusboyFileStream | undefined;
  let consumed: Promise<Result> | undefined;
  let received = 0;
  const fields = new Map<string, string>();

  const fail = (error: Error) => {
    failure ??= error;
    stream.unpipe(form);
    file?.destroy(failure);
    failed.reject(failure);
    read.resolve();
  };
  const sentBytes = Number(stream.headers['content-length'] ?? limitBytes);
  const hold = holdMemory(options, sentBytes, () => received, failed.promise, fail);
  async function* untilRead(part: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of part) {
      await hold.granted();
      yield chunk;
    }
    await read.promise;
    if (failure !== undefined) throw failure;
  }
  form.on('file', (name, part) => {
    part.on('error', (cause) => fail(broken(cause)));
    if (name !== field || file !== undefined) {
      part.resume();
      if (name === field) fail(badForm(`The form holds several files in the field "${field}"; send one`));
      return;
    }
    file = part;
    part.once('limit', () => fail(tooLarge(limitBytes)));
    consumed = consume(untilRead(part), fields);
    consumed.catch(fail);
  });
  form.on('field', (name, value, _nameIsCut, valueIsCut) => {
    if (valueIsCut) fail(badForm(`The field "${name}" is too long`));
    else fields.set(name, value);
  });
  form.once('finish', () => read.resolve());
  form.once('error', (cause) => fail(broken(cause)));
  const count = (bytes: Buffer) => {
    received += bytes.length;
    if (received > limitBytes + formBytes) fail(tooLarge(limitBytes));
  };
  const leave = () => {
    if (!stream.readableEnded) fail(new ClientGone('The client went away'));
  };
  stream.on('data', count).once('error', leave).once('close', leave).pipe(form);

  await read.promise;
  hold.arrived();
  stream.off('data', count).off('close', leave);
  // No work of this request outlives its answer.
  const result = await consumed?.catch(() => undefined);
  hold.release();
  if (failure !== undefined) throw failure;
  if (result === undefined) throw badForm(`The form holds no file in the field "${field}"`);
  return result;
}

/**
 * @param sentBytes of the whole form
 * @param failed rejects when the form is given up
 */
function holdMemory(
  { heldFor, limitBytes }: UploadOptions,
  sentBytes: number,
  received: () => number,
  failed: Promise<never>,
  giveUp: (error: DomainError) => void,
) {
  let claim: Claim | undefined;
  let stopWatching: (() => void) | undefined;
  let hasArrived = false;
  return {
    /** Resolves at once until more than `smallBytes` have arrived. While it waits, back-pressure stops the client. */
    async granted() {
      if (heldFor === undefined || claim !== undefined || received() <= smallBytes) return;
      claim = bodyMemory.claim(heldFor, limitBytes);
      await Promise.race([claim.granted, failed]);
      if (!hasArrived) stopWatching = watchPace(Math.min(limitBytes, sentBytes), received, giveUp);
    },
    /** To be called once the form has been read. */
    arrived() {
      hasArrived = true;
      stopWatching?.();
    },
    release: () => claim?.release(),
  };
}

function openForm({ headers }: IncomingMessage, { field, limitBytes }: UploadOptions): BusboyInstance {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw new DomainError('BAD_REQUEST', 'The Content-Type of the request body must be multipart/form-data', {
      suggestion: `Send a form with the file in the field "${field}".`,
    });
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw badForm('Compressed request bodies are not accepted');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes + formBytes) throw tooLarge(limitBytes);
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      limits: { fileSize: limitBytes, fieldSize: formBytes, parts: 100, headerPairs: 100 },
    });
  } catch (cause) {
    throw broken(cause);
  }
}

function badForm(message: string): DomainError {
  return new DomainError('BAD_REQUEST', message);
}

function broken(cause: unknown): DomainError {
  return new DomainError('BAD_REQUEST', 'The multipart form could not be read', { cause });
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('PAYLOAD_TOO_LARGE', `The file is larger than ${limitBytes / 1024 / 1024} MB`, {
    details: { limitBytes },
  });
}
