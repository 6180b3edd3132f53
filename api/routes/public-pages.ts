import { z } from 'zod';
import { type Locale, resolveLocale } from '../../core/messages/messages.ts';
import type { LinkPurpose } from '../../core/public-links.ts';
import { snoozeLengths } from '../../core/snooze.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { ErrorPage, HandlerContext } from '../edge/route.ts';
import { emailPage } from '../pages/email-page.ts';
import { noticeOf, type Page, pageType, showNotice, showPage } from '../pages/page.ts';
import {
  managePage,
  type SubscriptionView,
  subscribePage,
  unsubscribePage,
} from '../pages/subscription-pages.ts';
import type { GenuineLink, LinkAction, RefusedLink } from '../services/public-links.ts';

const bodyLimitBytes = 64 * 1024;
// The content does not matter: submitting the form is the action.
const anyBody = z.unknown();
const params = z.object({ token: z.string().describe('From the link in an email.') });

const responses = {
  200: {
    description: 'A page in the language of the contact, else in that of the project.',
    contentType: pageType,
  },
  404: {
    description: 'A page in the language of the browser: the link is not valid.',
    contentType: pageType,
  },
  429: { description: 'A page: too many links that are not valid from this address.', contentType: pageType },
} as const;

// Readers get a page for any error; an unreadable path is an invalid link.
const errorPage: ErrorPage = (ctx) => showNotice(ctx, noticeOf(ctx.status));

const shared = { auth: 'link', errorPage, params, responses } as const;

type PageContext = HandlerContext<{ params: z.output<typeof params> }, typeof responses>;

const localeOf = (link: GenuineLink): Locale => resolveLocale(link.subscriber.locale, link.project.language);

function refuse(ctx: PageContext, link: RefusedLink): void {
  switch (link.state) {
    case 'gone':
      showNotice(ctx, 'page.gone', link.project);
      break;
    case 'invalid':
      ctx.status = 404;
      showNotice(ctx, 'page.invalidLink');
      break;
    case 'limited':
      ctx.status = 429;
      ctx.set('Retry-After', String(link.retryAfterSeconds));
      showNotice(ctx, 'page.tooManyTries');
  }
}

async function visit(
  ctx: PageContext,
  purpose: Exclude<LinkPurpose, 'view'>,
  action: LinkAction | undefined,
  page: (view: SubscriptionView, link: GenuineLink) => Page,
): Promise<void> {
  const { publicLinks } = ctx.services;
  const link = await publicLinks.open(purpose, ctx.state.params.token, ctx.ip);
  if (link.state !== 'open') return refuse(ctx, link);
  const { project } = link;
  const subscriber = action === undefined ? link.subscriber : await publicLinks.act(link, action);
  if (subscriber === undefined) return refuse(ctx, { state: 'gone', project });
  // A snooze leaves those unsubscribed who have opted out meanwhile.
  const isDone = action !== undefined && (action.to !== 'snoozed' || subscriber.snoozedUntil !== null);
  showPage(ctx, page({ locale: localeOf(link), project, subscriber, isDone }, link));
}

// A relative link, because a proxy may serve the pages below a path. A template may append a slash to the address.
const unsubscribeView = (ctx: PageContext) => (view: SubscriptionView, link: GenuineLink) => {
  const root = ctx.path.endsWith('/') ? '../..' : '..';
  return unsubscribePage(view, `${root}/subscribe/${ctx.services.publicLinks.tokenFor('subscribe', link)}`);
};

export const showUnsubscribe = defineRoute('GET /unsubscribe/:token', {
  ...shared,
  summary: 'Page that asks whether to unsubscribe',
  description: 'Changes nothing, because scanners of mail systems open every link.',
  handler: (ctx) => visit(ctx, 'unsubscribe', undefined, unsubscribeView(ctx)),
});

export const unsubscribe = defineRoute('POST /unsubscribe/:token', {
  ...shared,
  summary: 'Unsubscribe, also with one click (RFC 8058)',
  description:
    'The address in the header `List-Unsubscribe`. The body, such as `List-Unsubscribe=One-Click`, is ' +
    'ignored. Repeats change nothing.',
  bodyFormat: 'text',
  bodyLimitBytes,
  body: anyBody,
  bodyExample: 'List-Unsubscribe=One-Click',
  handler: (ctx) => visit(ctx, 'unsubscribe', { to: 'unsubscribed' }, unsubscribeView(ctx)),
});

export const showSubscribe = defineRoute('GET /subscribe/:token', {
  ...shared,
  summary: 'Page that asks whether to subscribe',
  handler: (ctx) => visit(ctx, 'subscribe', undefined, subscribePage),
});

export const subscribe = defineRoute('POST /subscribe/:token', {
  ...shared,
  summary: 'Subscribe',
  bodyFormat: 'text',
  bodyLimitBytes,
  body: anyBody,
  handler: (ctx) => visit(ctx, 'subscribe', { to: 'subscribed' }, subscribePage),
});

export const showPreferences = defineRoute('GET /manage/:token', {
  ...shared,
  summary: 'Page of the subscription preferences',
  handler: (ctx) => visit(ctx, 'manage', undefined, managePage),
});

// Unknown values of the preferences form are ignored.
const preferencesSchema = z.object({
  action: z.enum(['subscribe', 'unsubscribe']).optional().catch(undefined),
  snooze: z
    .enum(snoozeLengths)
    .optional()
    .catch(undefined)
    .describe('Only while subscribed or snoozed; repeating it moves the end.'),
});

function toAction({ action, snooze }: z.output<typeof preferencesSchema>): LinkAction | undefined {
  if (action !== undefined) return { to: action === 'subscribe' ? 'subscribed' : 'unsubscribed' };
  return snooze === undefined ? undefined : { to: 'snoozed', length: snooze };
}

export const changePreferences = defineRoute('POST /manage/:token', {
  ...shared,
  summary: 'Subscribe, unsubscribe or snooze',
  bodyFormat: 'form',
  bodyLimitBytes,
  body: preferencesSchema,
  bodyExample: { snooze: '2-weeks' },
  handler: (ctx, { body }) => visit(ctx, 'manage', toAction(body), managePage),
});

export const showEmail = defineRoute('GET /view/:token', {
  ...shared,
  summary: 'Page that shows an email',
  description:
    'The address of `{{ viewUrl }}`. The email is rendered again, with the current data of the contact. The page ' +
    'says that the details have been deleted once the content of the email has expired, the contact is gone, or the ' +
    'project was stopped, and that something went wrong when those data exceed what an email may have.',
  async handler(ctx) {
    const link = await ctx.services.publicLinks.openEmail(ctx.state.params.token, ctx.ip);
    if (link.state !== 'open') return refuse(ctx, link);
    const { projectId, emailId } = link.subject;
    const email = await ctx.services.emailDetail.view(projectId, emailId);
    if (email === 'gone') refuse(ctx, { state: 'gone', project: link.project });
    else if (email === 'failed') showNotice(ctx, 'page.failed', link.project);
    else showPage(ctx, emailPage(email));
  },
});
