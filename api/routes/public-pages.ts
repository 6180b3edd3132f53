import { z } from 'zod';
import { type Locale, negotiateLocale, resolveLocale } from '../../core/messages/messages.ts';
import type { LinkPurpose } from '../../core/public-links.ts';
import { snoozeLengths } from '../../core/snooze.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { RequestFacts } from '../edge/route.ts';
import type { Services } from '../edge/services.ts';
import { type Page, pageType, renderNotice } from '../pages/page.ts';
import {
  managePage,
  type SubscriptionView,
  subscribePage,
  unsubscribePage,
} from '../pages/subscription-pages.ts';
import type { GenuineLink, LinkAction, OpenedLink } from '../services/public-links.ts';

const tags = ['Public pages'];
const auth = 'link';
const bodyLimitBytes = 64 * 1024;
/** Read away and not looked at: to send the form is to say it. */
const anyBody = z.unknown();
const params = z.object({ token: z.string().describe('From the link in an email.') });

const responses = {
  200: {
    description: 'A page in the language of the contact; English when it has none.',
    contentType: pageType,
  },
  404: {
    description: 'A page in the language of the browser: the link is not valid.',
    contentType: pageType,
  },
  429: { description: 'A page: too many links that are not valid from this address.', contentType: pageType },
} as const;

/** Whatever goes wrong, the reader gets a page; a path that can't be read is a link that is not valid. */
const errorPage = (status: number, request: RequestFacts): Page =>
  renderNotice(browserLocaleOf(request), undefined, status === 422 ? 'page.invalidLink' : 'page.failed');

type PageAnswer = { status: 200 | 404 | 429; body: string; headers: Record<string, string | string[]> };

interface PageRequest {
  params: z.output<typeof params>;
  services: Services;
  request: RequestFacts;
}

const show = ({ body, headers }: Page): PageAnswer => ({ status: 200, body, headers });
/** Of a reader whom we do not know. */
const browserLocaleOf = ({ headers }: RequestFacts): Locale => negotiateLocale(headers['accept-language']);
const localeOf = (link: GenuineLink): Locale => resolveLocale(link.subscriber.locale);

/** The answer to a link that nothing can be done with. Without a contact only the browser's language is known. */
function refuse(link: Exclude<OpenedLink, GenuineLink>, request: RequestFacts): PageAnswer {
  const locale = browserLocaleOf(request);
  switch (link.state) {
    case 'gone':
      return show(renderNotice(locale, link.project, 'page.gone'));
    case 'invalid':
      return { status: 404, ...renderNotice(locale, undefined, 'page.invalidLink') };
    case 'limited': {
      const { body, headers } = renderNotice(locale, undefined, 'page.tooManyTries');
      return { status: 429, body, headers: { ...headers, 'Retry-After': String(link.retryAfterSeconds) } };
    }
  }
}

/** Opens the link, acts when there is something to do, and shows how the subscription stands then. */
async function visit(
  purpose: LinkPurpose,
  { params: { token }, services, request }: PageRequest,
  action: LinkAction | undefined,
  page: (view: SubscriptionView, link: GenuineLink) => Page,
): Promise<PageAnswer> {
  const link = await services.publicLinks.open(purpose, token, request.clientAddress);
  if (link.state !== 'open') return refuse(link, request);
  const { project } = link;
  const subscriber = action === undefined ? link.subscriber : await services.publicLinks.act(link, action);
  if (subscriber === undefined) return refuse({ state: 'gone', project }, request);
  return show(page({ locale: localeOf(link), project, subscriber, isDone: action !== undefined }, link));
}

/** Relative, because a proxy may serve the pages below a path. */
const unsubscribeView = (services: Services) => (view: SubscriptionView, link: GenuineLink) =>
  unsubscribePage(view, `../subscribe/${services.publicLinks.tokenFor('subscribe', link)}`);

export const showUnsubscribe = defineRoute({
  method: 'GET',
  path: '/unsubscribe/:token',
  auth,
  errorPage,
  tags,
  summary: 'Page that asks whether to unsubscribe',
  description: 'Changes nothing, because scanners of mail systems open every link.',
  params,
  responses,
  handler: (input) => visit('unsubscribe', input, undefined, unsubscribeView(input.services)),
});

export const unsubscribe = defineRoute({
  method: 'POST',
  path: '/unsubscribe/:token',
  auth,
  errorPage,
  tags,
  summary: 'Unsubscribe, also with one click (RFC 8058)',
  description:
    'The address in the header `List-Unsubscribe`. The request alone says everything: whatever body comes with it, ' +
    'such as `List-Unsubscribe=One-Click`, is ignored. A repeat changes nothing.',
  bodyFormat: 'text',
  bodyLimitBytes,
  params,
  body: anyBody,
  bodyExample: 'List-Unsubscribe=One-Click',
  responses,
  handler: (input) => visit('unsubscribe', input, { to: 'unsubscribed' }, unsubscribeView(input.services)),
});

export const showSubscribe = defineRoute({
  method: 'GET',
  path: '/subscribe/:token',
  auth,
  errorPage,
  tags,
  summary: 'Page that asks whether to subscribe',
  params,
  responses,
  handler: (input) => visit('subscribe', input, undefined, subscribePage),
});

export const subscribe = defineRoute({
  method: 'POST',
  path: '/subscribe/:token',
  auth,
  errorPage,
  tags,
  summary: 'Subscribe',
  bodyFormat: 'text',
  bodyLimitBytes,
  params,
  body: anyBody,
  responses,
  handler: (input) => visit('subscribe', input, { to: 'subscribed' }, subscribePage),
});

export const showPreferences = defineRoute({
  method: 'GET',
  path: '/manage/:token',
  auth,
  errorPage,
  tags,
  summary: 'Page of the preferences',
  params,
  responses,
  handler: (input) => visit('manage', input, undefined, managePage),
});

/** What a form of the page of preferences says; anything else is as if nothing was said. */
const preferencesSchema = z.object({
  action: z.enum(['subscribe', 'unsubscribe']).optional().catch(undefined),
  snooze: z
    .enum(snoozeLengths)
    .optional()
    .catch(undefined)
    .describe('Only for who is subscribed or snoozed; a second one moves the end.'),
});

function toAction({ action, snooze }: z.output<typeof preferencesSchema>): LinkAction | undefined {
  if (action !== undefined) return { to: action === 'subscribe' ? 'subscribed' : 'unsubscribed' };
  return snooze === undefined ? undefined : { to: 'snoozed', length: snooze };
}

export const changePreferences = defineRoute({
  method: 'POST',
  path: '/manage/:token',
  auth,
  errorPage,
  tags,
  summary: 'Subscribe, unsubscribe or snooze',
  bodyFormat: 'form',
  bodyLimitBytes,
  params,
  body: preferencesSchema,
  bodyExample: { snooze: '2-weeks' },
  responses,
  handler: (input) => visit('manage', input, toAction(input.body), managePage),
});
