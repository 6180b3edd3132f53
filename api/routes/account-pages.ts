import { createHash } from 'node:crypto';
import { z } from 'zod';
import { returnPages } from '../../core/config/urls.ts';
import { DomainError } from '../../core/errors.ts';
import { type Locale, negotiateLocale } from '../../core/messages/messages.ts';
import type { EdgeContext } from '../edge/context.ts';
import { clientOf, sessionCookies, setCookie } from '../edge/cookies.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { HandlerContext } from '../edge/route.ts';
import {
  accountPage,
  invitationPage,
  passwordChangedPage,
  resetPasswordPage,
  returnPage,
  verifiedPage,
  verifyEmailPage,
} from '../pages/account-pages.ts';
import { noticeOf, type Page, pageType, showNotice, showPage } from '../pages/page.ts';
import { newPasswordSchema } from '../schemas/auth.ts';

const tokenSchema = z.string().min(1).max(200).describe('From the link in an email.');
const query = z.object({ token: tokenSchema });
// The handler validates the password, so that the reader gets the form again.
const body = z.object({ token: tokenSchema, password: z.string() });

const responses = {
  200: { description: 'A page in the language of the browser.', contentType: pageType },
  400: { description: 'A page: the link is no longer valid.', contentType: pageType },
  422: {
    description: 'A page: the password is too short or too long, or the link is cut.',
    contentType: pageType,
  },
} as const;

const shared = {
  // The link's token authenticates, not a cookie; pages without a referrer send the Origin `null`.
  auth: 'link',
  errorPage: (ctx: EdgeContext) => showNotice(ctx, noticeOf(ctx.status)),
  limitByAddress: true,
  responses,
} as const;
const formOf = { bodyFormat: 'form', bodyLimitBytes: 64 * 1024 } as const;

type Context = HandlerContext<unknown, typeof responses>;
type PageContext = Pick<Context, 'status' | 'body' | 'set' | 'type' | 'headers'>;

const localeOf = ({ headers }: Pick<PageContext, 'headers'>): Locale =>
  negotiateLocale(headers['accept-language']);
const isPassword = (text: string) => newPasswordSchema.safeParse(text).success;

// A BAD_REQUEST of `act` means that the link is invalid.
async function withLink(ctx: PageContext, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'BAD_REQUEST') throw error;
    ctx.status = 400;
    showNotice(ctx, 'page.invalidLink');
  }
}

interface Submitted {
  page: Page;
  status?: 422;
  /** Cookie that identifies the browser. */
  device?: string;
}

const repeatMs = 60_000;
/** By the hash of a form, which holds an unguessable token. */
const recent = new Map<string, Promise<Submitted>>();

/**
 * Answers a form that is submitted again within a minute, as by a double click, like the first time: the browser shows
 * the last answer alone.
 */
function submit(
  ctx: PageContext & Pick<Context, 'path' | 'cookies' | 'ip' | 'get' | 'isHttps'>,
  form: object,
  act: () => Promise<Submitted>,
): Promise<void> {
  return withLink(ctx, async () => {
    const key = createHash('sha256')
      .update(JSON.stringify([ctx.path, form]))
      .digest('base64');
    const before = recent.get(key);
    const submitted = before ?? act();
    if (before === undefined) {
      const forget = () => void recent.delete(key);
      recent.set(key, submitted);
      submitted.then(
        // A form shown again has not used its link, and may have a token that is not ours.
        ({ status }) => (status === undefined ? void setTimeout(forget, repeatMs).unref() : forget()),
        forget,
      );
    }
    const { page, status, device } = await submitted;
    if (status !== undefined) ctx.status = status;
    if (device !== undefined) setCookie(ctx, 'device', device);
    showPage(ctx, page);
  });
}

export const showVerifyEmail = defineRoute('GET /verify-email', {
  ...shared,
  summary: 'Page that verifies an address',
  description: 'Where mailed links lead when there is no dashboard. Changes nothing.',
  query,
  handler: (ctx, { query: { token } }) =>
    withLink(ctx, async () => {
      const link = await ctx.services.accountLinks.verification(token, sessionCookies(ctx));
      showPage(ctx, verifyEmailPage(localeOf(ctx), token, link));
    }),
});

export const submitVerifyEmail = defineRoute('POST /verify-email', {
  ...shared,
  ...formOf,
  summary: 'Verify an address, from its page',
  description: 'Needs the session of the account or a password: the current one or a new one.',
  body: body.partial({ password: true }),
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c' },
  handler: (ctx, { body: form }) =>
    submit(ctx, form, async () => {
      const { token, password } = form;
      const session = sessionCookies(ctx);
      const link = await ctx.services.accountLinks.verification(token, session);
      if (link.needsPassword && !isPassword(password ?? ''))
        return { status: 422, page: verifyEmailPage(localeOf(ctx), token, link, true) };
      await ctx.services.accountLinks.verifyEmail(token, password, session);
      return { page: verifiedPage(localeOf(ctx)) };
    }),
});

export const showResetPassword = defineRoute('GET /reset-password', {
  ...shared,
  summary: 'Page of the link to choose a new password',
  description: 'Where mailed links lead when there is no dashboard.',
  query,
  handler: (ctx, { query: { token } }) =>
    withLink(ctx, async () => {
      await ctx.services.accountLinks.passwordReset(token);
      showPage(ctx, resetPasswordPage(localeOf(ctx), token));
    }),
});

export const submitResetPassword = defineRoute('POST /reset-password', {
  ...shared,
  ...formOf,
  summary: 'Choose a new password, from its page',
  body,
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c', password: 'a long pass phrase' },
  handler: (ctx, { body: form }) =>
    submit(ctx, form, async () => {
      const { token, password } = form;
      if (!isPassword(password)) return { status: 422, page: resetPasswordPage(localeOf(ctx), token, true) };
      const device = await ctx.services.accountLinks.resetPassword(token, password, clientOf(ctx));
      return { device, page: passwordChangedPage(localeOf(ctx)) };
    }),
});

export const showInvitation = defineRoute('GET /accept-invitation', {
  ...shared,
  summary: 'Page of an invitation to a project',
  description: 'Where mailed links lead when there is no dashboard.',
  query,
  handler: (ctx, { query: { token } }) =>
    withLink(ctx, async () => {
      const { email } = await ctx.services.accounts.invitation(token);
      showPage(ctx, invitationPage(localeOf(ctx), token, email));
    }),
});

export const submitInvitation = defineRoute('POST /accept-invitation', {
  ...shared,
  ...formOf,
  summary: 'Create the account of an invitation, from its page',
  body,
  bodyExample: { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c', password: 'a long pass phrase' },
  handler: (ctx, { body: form }) =>
    submit(ctx, form, async () => {
      const { token, password } = form;
      const locale = localeOf(ctx);
      const { email } = await ctx.services.accounts.invitation(token);
      if (!isPassword(password)) return { status: 422, page: invitationPage(locale, token, email, true) };
      try {
        await ctx.services.accounts.createAccount({ email, password, invitation: token });
        return { page: accountPage(locale, email, 'account.createDone') };
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
        return { page: accountPage(locale, email, 'account.createTaken') };
      }
    }),
});

export const showReturn = defineRoute('GET /return/:page', {
  ...shared,
  summary: 'Page shown after a sign-in or a payment on another site',
  description: 'Where the browser returns to without `DASHBOARD_URL`. The same for everyone.',
  hidden: true,
  limitByAddress: false,
  params: z.object({ page: z.enum(returnPages) }),
  handler(ctx, { params }) {
    showPage(ctx, returnPage(localeOf(ctx), params.page));
  },
});
