import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { EdgeMiddleware } from './context.ts';

/** A list that takes longer to write lets the event loop do other work in between. */
const longestBlockMs = 15;

/** Writes the JSON of a list item by item: a page of templates may have 50 MB. */
export function writeInPieces(): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    // unknown: Koa's type is any.
    const body: unknown = ctx.body;
    if (isList(body)) ctx.body = await write(body);
  };
}

interface List {
  data: unknown[];
}

function isList(body: unknown): body is List {
  return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data);
}

async function write({ data, ...rest }: List): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let startedAt = performance.now();
  for (const item of data) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? '' : ','}${JSON.stringify(item)}`));
    if (performance.now() - startedAt < longestBlockMs) continue;
    await yieldToLoop();
    startedAt = performance.now();
  }
  const members = JSON.stringify(rest).slice(1, -1);
  const end = members === '' ? ']}' : `],${members}}`;
  return Buffer.concat([Buffer.from('{"data":['), ...pieces, Buffer.from(end)]);
}
