import type Koa from 'koa';
import { z } from 'zod';
import { oauthProviderNames } from '../../core/accounts/oauth-providers.ts';
import { DomainError } from '../../core/errors.ts';
import { isBrowser } from '../edge/answer-errors.ts';
import { clientOf, cookiesNamed, setCookie, setSignInCookies } from '../edge/cookies.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import type { ErrorPage } from '../edge/route.ts';
import { noticeOf, showNotice } from '../pages/page.ts';
import type { Services } from '../services/services.ts';

const params = z.object({ provider: z.enum(oauthProviderNames) });
const responses = { 302: { description: 'Redirect to the next page.' } } as const;

interface BrowserContext extends Pick<Koa.ExtendableContext, 'accepts' | 'redirect' | 'response'> {
  services: Services;
}

/** Redirects to the next page, or a browser whose sign-in is refused to the sign-in page; other clients get the error. */
async function redirect(ctx: BrowserContext, signIn: () => Promise<string>): Promise<void> {
  const location = await signIn().catch((error) => {
    const { signInUrl } = ctx.services.oauth;
    if (!(error instanceof DomainError) || !isBrowser(ctx) || signInUrl === null) throw error;
    const reason = String(error.details?.reason ?? error.code.toLowerCase());
    return `${signInUrl}?error=${encodeURIComponent(reason)}`;
  });
  ctx.redirect(location);
  ctx.response.body = '';
}

/** For errors without a reason to show: too many requests, or an internal error. */
const browserErrorPage: ErrorPage = (ctx) =>
  // as: every route has these services.
  showNotice(ctx, noticeOf(ctx.status), undefined, (ctx.services as Services).oauth.signInUrl);

export const oauthConfig = defineRoute('GET /auth/oauth-config', {
  auth: 'none',
  summary: 'Which OAuth providers are configured',
  limitByAddress: true,
  responses: ok('A flag per provider.', z.object({ google: z.boolean(), github: z.boolean() })),
  async handler(ctx) {
    ctx.body = ctx.services.oauth.configured;
  },
});

export const startOAuth = defineRoute('GET /auth/oauth/:provider', {
  auth: 'none',
  summary: 'Sign in with Google or GitHub',
  description: 'For browsers: redirects to the provider, with PKCE and a state known only to this browser.',
  limitByAddress: true,
  place: 'elsewhere',
  browserErrorPage,
  params,
  responses,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  handler: (ctx, { params }) =>
    redirect(ctx, async () => {
      const { location, attempt } = await ctx.services.oauth.start(params.provider);
      setCookie(ctx, 'oauth', attempt);
      return location;
    }),
});

export const finishOAuth = defineRoute('GET /auth/oauth/:provider/callback', {
  auth: 'none',
  summary: 'Where the provider sends the browser back to',
  description:
    'Signs in the user linked to the provider account, else the user with its verified address, else a new one, and ' +
    'redirects to the dashboard, or to a page that says so. An account whose address was unverified until then loses ' +
    'its password. A browser whose sign-in is refused is redirected to the sign-in page of the dashboard, ' +
    'with the reason as `error`; other clients find it in `details.reason`. After any other error it gets a page ' +
    'with a link to the sign-in page.',
  limitByAddress: true,
  place: 'elsewhere',
  browserErrorPage,
  params,
  responses,
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  handler: (ctx, { params }) =>
    redirect(ctx, async () => {
      const attempts = cookiesNamed('oauth', ctx);
      const signedIn = await ctx.services.oauth.finish(params.provider, ctx.url, attempts, clientOf(ctx));
      setSignInCookies(ctx, signedIn);
      setCookie(ctx, 'oauth', null);
      return signedIn.location;
    }),
});
