import type { Context } from 'koa';

/** After a form was posted: the browser gets another page, and a reload of that posts nothing. */
export function seeOther(ctx: Context, location: string): void {
  ctx.redirect(location);
  ctx.status = 303;
}
