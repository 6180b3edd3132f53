import type { ReturnPage } from '../../core/config/urls.ts';
import { type Html, html } from '../../core/html.ts';
import { formatMessage, type Locale, messages } from '../../core/messages/messages.ts';
import { type Page, renderPage } from './page.ts';

function say(locale: Locale, title: string, text: string): Page {
  const content = html`<p role="status">${text}</p>`;
  return renderPage({ locale, title, content });
}

function form(token: string, fields: Html | undefined, label: string): Html {
  return html`<form method="post">
<input type="hidden" name="token" value="${token}">
${fields}
<button type="submit">${label}</button>
</form>`;
}

function passwordField(
  locale: Locale,
  hasFault: boolean,
  label: 'account.passwordLabel' | 'account.verifyPassword' = 'account.passwordLabel',
): Html {
  const text = messages[locale];
  return html`${hasFault && html`<p class="saved" role="alert">${text['account.passwordFault']}</p>`}
<label for="password">${text[label]}</label>
<input id="password" name="password" type="password" minlength="10" maxlength="256" autocomplete="new-password" required aria-describedby="hint">
<p class="hint" id="hint">${text['account.passwordHint']}</p>`;
}

/**
 * Asks for a button press to prove the address, because mail scanners open every link, and for the password when
 * nothing shows that the reader signed up.
 *
 * @param hasFault as for `resetPasswordPage`
 */
export function verifyEmailPage(
  locale: Locale,
  token: string,
  { email, needsPassword }: { email: string; needsPassword: boolean },
  hasFault = false,
): Page {
  const text = messages[locale];
  const password = needsPassword
    ? html`<p>${text['account.verifyWho']}</p>${passwordField(locale, hasFault, 'account.verifyPassword')}`
    : undefined;
  const content = html`<p>${text['account.verifyText']}</p>
<p><strong>${email}</strong></p>
${form(token, password, text['account.verifyButton'])}`;
  return renderPage({ locale, title: text['account.verifyTitle'], content });
}

export function verifiedPage(locale: Locale): Page {
  return say(locale, messages[locale]['account.verifyTitle'], messages[locale]['account.verifyDone']);
}

/** @param hasFault the submitted password was too short or too long */
export function resetPasswordPage(locale: Locale, token: string, hasFault = false): Page {
  const text = messages[locale];
  const content = form(token, passwordField(locale, hasFault), text['account.resetButton']);
  return renderPage({ locale, title: text['account.resetTitle'], content });
}

export function passwordChangedPage(locale: Locale): Page {
  return say(locale, messages[locale]['account.resetTitle'], messages[locale]['account.resetDone']);
}

export function invitationPage(locale: Locale, token: string, email: string, hasFault = false): Page {
  const text = messages[locale];
  const content = html`<p>${formatMessage(locale, 'account.createText', { email })}</p>
${form(token, passwordField(locale, hasFault), text['account.createButton'])}`;
  return renderPage({ locale, title: text['account.createTitle'], content });
}

export function returnPage(locale: Locale, page: ReturnPage): Page {
  return say(locale, messages[locale][`return.${page}`], messages[locale]['return.hint']);
}

export function accountPage(
  locale: Locale,
  email: string,
  is: 'account.createDone' | 'account.createTaken',
): Page {
  return say(locale, messages[locale]['account.createTitle'], formatMessage(locale, is, { email }));
}
