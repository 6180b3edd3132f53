import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { DomainError } from '../../core/errors.ts';
import { ClientGone } from './error-response.ts';
import type { RequestFacts } from './route.ts';

export interface UploadOptions {
  /** Field of the form that holds the file. */
  field: string;
  /** Largest file. */
  limitBytes: number;
}

/** What a form may hold besides the file: boundaries, headers, other fields. */
const formBytes = 64 * 1024;

/**
 * Reads the one file of a multipart form and hands its bytes to `consume` as they arrive, which reads them to the
 * end; while it is busy, the client is held back. The bytes end when the whole form has been read, so that nothing
 * needs to be kept of a form that is refused.
 *
 * @throws DomainError `BAD_REQUEST` when the body is no such form, or holds no file or several in the field;
 * `PAYLOAD_TOO_LARGE` as soon as the file is longer than its limit. `consume` is told by an error of its bytes.
 * @throws ClientGone when the connection ends before the body does
 */
export async function readUpload<Result>(
  request: Pick<RequestFacts, 'headers' | 'stream'>,
  options: UploadOptions,
  consume: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const { field, limitBytes } = options;
  const { stream } = request;
  const form = openForm(request, options);
  const read = Promise.withResolvers<void>();
  let failure: Error | undefined;
  let file: BusboyFileStream | undefined;
  let consumed: Promise<Result> | undefined;
  let received = 0;

  const fail = (error: Error) => {
    failure ??= error;
    stream.unpipe(form);
    file?.destroy(failure);
    read.resolve();
  };
  /** The bytes of the file, with the end of the form as their end. */
  async function* untilRead(part: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* part;
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
    consumed = consume(untilRead(part));
    consumed.catch(fail);
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
  stream.off('data', count).off('close', leave);
  // Nothing of this request goes on after its answer.
  const result = await consumed?.catch(() => undefined);
  if (failure !== undefined) throw failure;
  if (result === undefined) throw badForm(`The form holds no file in the field "${field}"`);
  return result;
}

function openForm(
  { headers }: Pick<RequestFacts, 'headers'>,
  { field, limitBytes }: UploadOptions,
): BusboyInstance {
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
