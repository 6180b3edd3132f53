import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { EdgeMiddleware } from './context.ts';

/** Draining stops after a pause this long or this many bytes. */
const drainPauseMs = 500;
const drainBytes = 64 * 1024 * 1024;

/**
 * Drains an unread request body. On a kept connection it would precede the next request; on a closing one, unread
 * bytes make the kernel reset the connection before the client has the answer.
 */
export function drainUnreadBody(): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    const { req, res, body } = ctx;
    if (req.complete) return;
    const closes = !res.shouldKeepAlive || ctx.response.get('Connection') === 'close';
    if (!closes || !ctx.writable || ctx.method === 'HEAD' || body instanceof Readable) {
      req.resume();
      return;
    }
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? '');
    const { status } = ctx;
    ctx.body = Readable.from(answerThenDrain(text, req), { objectMode: false });
    ctx.status = status;
    ctx.length = Buffer.byteLength(text);
  };
}

async function* answerThenDrain(
  text: string | Buffer,
  req: IncomingMessage,
): AsyncGenerator<string | Buffer> {
  yield text;
  const { promise: drained, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, drainPauseMs);
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainBytes) resolve();
    else timer.refresh();
  };
  req.on('data', count).once('end', resolve).once('close', resolve).resume();
  await drained;
  clearTimeout(timer);
  req.off('data', count);
}
