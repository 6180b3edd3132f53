import { z } from 'zod';
import { returnPages } from '../../core/config/site-pages.ts';
import { DomainError } from '../../core/errors.ts';
import { type Locale, negotiateLocale } from '../../core/messages/messages.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { RequestFacts } from '../edge/route.ts';
import {
  accountPage,
  invitationPage,
  passwordChangedPage,
  resetPasswordPage,
  returnPage,
  verifiedPage,
  verifyEmailPage,
} from '../pages/account-pages.ts';
import { type Page, pageType, renderNotice } from '../pages/page.ts';
import { newPasswordSchema } from './auth.ts';

const tokenSchema = z.string().min(1).max(200).describe('From the link in an email.');
const query = z.object({ token: tokenSchema });
/** The password is looked at by the handler, so that the reader gets the form again. */
const body = z.object({ token: tokenSchema, password: z.string() });

const responses = {
  200: { description: 'A page in the language of the browser.', contentType: pageType },
  400: { description: 'A page: the link is not valid any more.', contentType: pageType },
  422: {
    description: 'A page: the password is too short or too long, or the link is cut.',
    contentType: pageType,
  },
} as const;

const errorPage = (status: number): Page =>
  renderNotice(
    'en',
    undefined,
    status === 429 ? 'page.tooManyTries' : status === 422 ? 'page.invalidLink' : 'page.failed',
  );

const shared = {
  // The token of the link counts and no cookie, and a page that tells no referrer sends the Origin `null`.
  auth: 'link',
  tags: ['Account pages'],
  errorPage,
  limitByAddress: true,
  responses,
} as const;
const formOf = { bodyFormat: 'form', bodyLimitBytes: 64 * 1024 } as const;

const localeOf = ({ headers }: RequestFacts): Locale => negotiateLocale(headers['accept-language']);
const clientOf = ({ headers, clientAddress }: RequestFacts) => ({
  cookie: headers.cookie,
  address: clientAddress,
});
const show = <Status extends 200 | 400 | 422>(status: Status, page: Page) => ({ status, ...page });
const isPassword = (text: string) => newPasswordSchema.safeParse(text).success;

/** What `act` makes of the link, or that it is not valid. */
async function withLink<Answer>(locale: Locale, act: () => Promise<Answer>) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'BAD_REQUEST') throw error;
    return show(400, renderNotice(locale, undefined, 'page.invalidLink'));
  }
}

export const showVerifyEmail = defineRoute({
  ...shared,
  method: 'GET',
  path: '/verify-email',
  summary: 'Page of the link that proves an address',
  description: 'Where mailed links lead without `DASHBOARD_URL`. Changes nothing.',
  query,
  handler: ({ query: { token }, services, request }) =>
    withLink(localeOf(request), async () => {
      const link = await services.accountLinks.verification(token, request.headers.cookie);
      return show(200, verifyEmailPage(localeOf(request), token, link));
    }),
});

export const submitVerifyEmail = defineRoute({
  ...shared,
  ...formOf,
  method: 'POST',
  path: '/verify-email',
  summary: 'Prove an address, from its page',
  description: 'Needs the session of the account, or a password: the one of the account, or a new one.',
  body: body.partial({ password: true }),
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c' },
  handler: ({ body: { token, password }, services, request }) => {
    const locale = localeOf(request);
    const { cookie } = request.headers;
    return withLink(locale, async () => {
      const link = await services.accountLinks.verification(token, cookie);
      if (link.needsPassword && !isPassword(password ?? '')) {
        return show(422, verifyEmailPage(locale, token, link, true));
      }
      await services.accountLinks.verifyEmail(token, password, cookie);
      return show(200, verifiedPage(locale));
    });
  },
});

export const showResetPassword = defineRoute({
  ...shared,
  method: 'GET',
  path: '/reset-password',
  summary: 'Page of the link to choose a new password',
  description: 'Where mailed links lead without `DASHBOARD_URL`.',
  query,
  handler: async ({ query: { token }, request }) => show(200, resetPasswordPage(localeOf(request), token)),
});

export const submitResetPassword = defineRoute({
  ...shared,
  ...formOf,
  method: 'POST',
  path: '/reset-password',
  summary: 'Choose a new password, from its page',
  body,
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c', password: 'a long pass phrase' },
  handler: async ({ body: { token, password }, services, request }) => {
    const locale = localeOf(request);
    if (!isPassword(password)) return show(422, resetPasswordPage(locale, token, true));
    return withLink(locale, async () => {
      const cookie = await services.accountLinks.resetPassword(token, password, clientOf(request));
      const { body: text, headers } = passwordChangedPage(locale);
      return { status: 200 as const, body: text, headers: { ...headers, 'Set-Cookie': cookie } };
    });
  },
});

export const showInvitation = defineRoute({
  ...shared,
  method: 'GET',
  path: '/invitation',
  summary: 'Page of an invitation to a project',
  description: 'Where mailed links lead without `DASHBOARD_URL`.',
  query,
  handler: ({ query: { token }, services, request }) =>
    withLink(localeOf(request), async () => {
      const email = await services.accounts.invitedAddress(token);
      return show(200, invitationPage(localeOf(request), token, email));
    }),
});

export const submitInvitation = defineRoute({
  ...shared,
  ...formOf,
  method: 'POST',
  path: '/invitation',
  summary: 'Create the account of an invitation, from its page',
  body,
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c', password: 'a long pass phrase' },
  handler: ({ body: { token, password }, services, request }) => {
    const locale = localeOf(request);
    return withLink(locale, async () => {
      const email = await services.accounts.invitedAddress(token);
      if (!isPassword(password)) return show(422, invitationPage(locale, token, email, true));
      try {
        await services.accounts.signUp({ email, password, invitation: token }, clientOf(request));
        return show(200, accountPage(locale, email, 'account.createDone'));
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
        return show(200, accountPage(locale, email, 'account.createTaken'));
      }
    });
  },
});

export const showReturn = defineRoute({
  ...shared,
  method: 'GET',
  path: '/return/:page',
  summary: 'Page for a browser that comes back from a sign-in or a payment elsewhere',
  description: 'Where it is led without `DASHBOARD_URL`. Says the same to everyone.',
  hidden: true,
  limitByAddress: false,
  params: z.object({ page: z.enum(returnPages) }),
  handler: async ({ params: { page }, request }) => show(200, returnPage(localeOf(request), page)),
});
