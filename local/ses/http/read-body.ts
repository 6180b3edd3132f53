import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * @throws BodyTooLarge as soon as more than `limitBytes` have arrived, so a huge body is never held in memory
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(new BodyTooLarge(`The body is longer than ${limitBytes} bytes.`));
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    });
    request.on('error', reject);
    // A request that has already ended emits no further events.
    const endEarly = () => reject(new Error('The request ended before its body.'));
    if (request.destroyed) endEarly();
    else request.on('close', endEarly);
  });
}
