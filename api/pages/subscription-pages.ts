import { type Html, html } from '../../core/html.ts';
import { formatMessage, type Locale, type MessageKey, messages } from '../../core/messages/messages.ts';
import { type SnoozeLength, snoozeLengths } from '../../core/snooze.ts';
import type { Subscriber } from '../../db/statements/contacts/change-subscription.ts';
import type { PageProject } from '../services/public-links.ts';
import { type Page, renderPage } from './page.ts';

/** `isDone`: the reader has just pressed the page's button. */
export interface SubscriptionView {
  locale: Locale;
  project: PageProject;
  subscriber: Subscriber;
  isDone: boolean;
}

const snoozeLabels: Readonly<Record<SnoozeLength, MessageKey>> = {
  '2-weeks': 'manage.snooze2Weeks',
  '1-month': 'manage.snooze1Month',
  '6-months': 'manage.snooze6Months',
  '1-year': 'manage.snooze1Year',
};

const isOptedOut = ({ subscribed, snoozedUntil }: Subscriber) => !subscribed && snoozedUntil === null;

function button(label: string, options: { action?: string; value?: string; isPlain?: boolean } = {}): Html {
  const { action, value, isPlain = false } = options;
  return html`<form method="post"${action !== undefined && html` action="${action}"`}>
<button type="submit"${value !== undefined && html` name="action" value="${value}"`}${
    isPlain && html` class="plain"`
  }>${label}</button>
</form>`;
}

/** @param subscribeAddress target of the undo button, shown only right after the opt-out */
export function unsubscribePage(view: SubscriptionView, subscribeAddress: string): Page {
  const { locale, project, subscriber, isDone } = view;
  const text = messages[locale];
  const values = { email: subscriber.email };
  const content = isOptedOut(subscriber)
    ? html`<p role="status">${formatMessage(locale, 'unsubscribe.done', values)}</p>
${isDone && button(text['unsubscribe.undo'], { action: subscribeAddress, isPlain: true })}`
    : html`<p>${formatMessage(locale, 'unsubscribe.question', values)}</p>
${button(text['unsubscribe.button'])}`;
  return renderPage({ locale, project, title: text['unsubscribe.title'], content });
}

export function subscribePage({ locale, project, subscriber }: SubscriptionView): Page {
  const text = messages[locale];
  const values = { email: subscriber.email };
  const content = subscriber.subscribed
    ? html`<p role="status">${formatMessage(locale, 'subscribe.done', values)}</p>`
    : html`<p>${formatMessage(locale, 'subscribe.question', values)}</p>
${button(text['subscribe.button'])}`;
  return renderPage({ locale, project, title: text['subscribe.title'], content });
}

export function managePage({ locale, project, subscriber, isDone }: SubscriptionView): Page {
  const text = messages[locale];
  const subscribe = text[isOptedOut(subscriber) ? 'subscribe.button' : 'unsubscribe.undo'];
  const content = html`${isDone && html`<p class="saved" role="status">${text['manage.saved']}</p>`}
<p>${stateOf(locale, subscriber)}</p>
${!subscriber.subscribed && button(subscribe, { value: 'subscribe' })}
${!isOptedOut(subscriber) && button(text['unsubscribe.button'], { value: 'unsubscribe', isPlain: !subscriber.subscribed })}
${!isOptedOut(subscriber) && snoozeForm(locale)}`;
  return renderPage({ locale, project, title: text['manage.title'], content });
}

function stateOf(locale: Locale, { email, subscribed, snoozedUntil }: Subscriber): string {
  if (subscribed) return formatMessage(locale, 'manage.subscribed', { email });
  if (snoozedUntil === null) return formatMessage(locale, 'manage.unsubscribed', { email });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(snoozedUntil);
  return formatMessage(locale, 'manage.snoozed', { email, date });
}

function snoozeForm(locale: Locale): Html {
  const text = messages[locale];
  const buttons = snoozeLengths.map(
    (length) =>
      html`<button type="submit" name="snooze" value="${length}" class="plain">${text[snoozeLabels[length]]}</button>
`,
  );
  return html`<form method="post">
<fieldset>
<legend>${text['manage.snoozeTitle']}</legend>
<p class="hint">${text['manage.snoozeHint']}</p>
<div class="lengths">
${buttons}</div>
</fieldset>
</form>`;
}
