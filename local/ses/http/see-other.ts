import type { Context } from 'koa';

/** Redirects after a form post, so that reloading the new page posts nothing. */
export function seeOther(ctx: Context, location: string): void {
  ctx.redirect(location);
  ctx.status = 303;
}
