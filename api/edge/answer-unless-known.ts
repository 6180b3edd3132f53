import type { Context } from 'koa';

/**
 * Sends a document with its entity tag, or 304 without it if the caller has it. `ctx.fresh` would not do: fetch adds
 * `Cache-Control: no-cache` to a caller's `If-None-Match`. Proxies that compress weaken the tag.
 */
export function answerUnlessKnown(ctx: Context, body: string, etag: string): void {
  ctx.status = 200;
  ctx.etag = etag;
  if (ctx.get('If-None-Match').replace(/^W\//, '') === ctx.response.get('ETag')) ctx.status = 304;
  else ctx.body = body;
}
