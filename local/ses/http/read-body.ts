import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './http-problem.ts';

/** @throws HttpProblem 413 as soon as more than `limitBytes` have arrived, so a huge body is never held in memory */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Keeps the socket open for the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limitBytes) {
      request.resume();
      throw new HttpProblem(413, `The request is longer than ${limitBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
