import type Koa from 'koa';
import { oauthAttemptMinutes, sessionDays } from '../../core/accounts/limits.ts';

const dayMs = 24 * 60 * 60 * 1000;

const attributes = {
  token: { maxAge: sessionDays * dayMs },
  device: { maxAge: 365 * dayMs },
  oauth: { maxAge: oauthAttemptMinutes * 60_000 },
};

type CookieName = keyof typeof attributes;

/** A request could carry thousands, each of which costs a check. */
const mostOfOneName = 10;

interface CookieContext extends Pick<Koa.ExtendableContext, 'cookies' | 'ip' | 'get'> {
  isHttps: boolean;
}

/**
 * The values of a cookie; at most one is ours. Browsers also send what a site on a parent domain has set under this name,
 * perhaps before ours.
 */
export function cookiesNamed(name: CookieName, ctx: Pick<CookieContext, 'get'>): string[] {
  const found = ctx.get('cookie').matchAll(new RegExp(`(?:^|;) *${name}=([^;]+)`, 'g'));
  return Array.from(found.take(mostOfOneName), ([, value = '']) => value);
}

export const sessionCookies = (ctx: Pick<CookieContext, 'get'>) => cookiesNamed('token', ctx);

/** Sets a cookie that scripts can't read; null deletes it. */
export function setCookie(ctx: CookieContext, name: CookieName, value: string | null): void {
  // TLS may end at a proxy, so the connection does not tell whether the browser's is encrypted.
  ctx.cookies.secure = ctx.isHttps;
  ctx.cookies.set(name, value, { sameSite: 'lax', ...attributes[name] });
}

export function clientOf(ctx: CookieContext) {
  return { devices: cookiesNamed('device', ctx), address: ctx.ip, userAgent: ctx.get('user-agent') };
}

export function setSignInCookies(
  ctx: CookieContext,
  { session, device }: { session: string; device: string },
): void {
  setCookie(ctx, 'token', session);
  setCookie(ctx, 'device', device);
}
