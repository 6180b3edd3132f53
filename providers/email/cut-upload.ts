import { Readable } from 'node:stream';
import { UnsentCall } from './unsent-call.ts';

/** Smaller requests are in the kernel's buffers at once. */
const largeBytes = 256 * 1024;
const pieceBytes = 64 * 1024;

interface CallArguments {
  request: unknown;
}

/**
 * A step of the SDK client after signing. It sends a large request in pieces, each once the one before has been sent:
 * without the last piece, SES cannot have accepted it.
 *
 * @throws UnsentCall
 */
export function notingCutUploads<Input extends CallArguments, Output>(
  next: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    // as: requests of this client are those of `@smithy/protocol-http`.
    const request = input.request as { body?: unknown };
    const { body } = request;
    if ((typeof body !== 'string' && !(body instanceof Uint8Array)) || body.length < largeBytes)
      return next(input);
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    let isWhole = false;
    function* pieces() {
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        isWhole = start + pieceBytes >= bytes.length;
        yield bytes.subarray(start, start + pieceBytes);
      }
    }
    request.body = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 });
    try {
      return await next(input);
    } catch (cause) {
      throw isWhole ? cause : new UnsentCall(cause);
    }
  };
}
