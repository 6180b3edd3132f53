import { type Locale, messages } from '../messages/messages.ts';
import { escapeHtml } from './values.ts';

export interface FooterLinks {
  unsubscribeUrl: string;
  manageUrl: string;
}

/** The HTML with the footer in front of its end, unless it links to the unsubscribe page already. */
export function withHtmlFooter(html: string, links: FooterLinks, locale: Locale): string {
  if (linksTo(html, links.unsubscribeUrl)) return html;
  const end = endOfBody(html);
  return `${html.slice(0, end)}${htmlFooter(links, locale)}${html.slice(end)}`;
}

function htmlFooter(links: FooterLinks, locale: Locale): string {
  const text = messages[locale];
  const anchor = (url: string, label: string) =>
    `<a href="${escapeHtml(url)}" style="color:#666666;text-decoration:underline">${escapeHtml(label)}</a>`;
  return (
    '<div style="margin:24px auto 0;padding:16px;text-align:center;font-family:Arial,Helvetica,sans-serif;' +
    'font-size:12px;line-height:18px;color:#666666">' +
    `${escapeHtml(text['footer.reason'])}<br>` +
    `${anchor(links.unsubscribeUrl, text['footer.unsubscribe'])} · ` +
    `${anchor(links.manageUrl, text['footer.preferences'])}</div>`
  );
}

/** The text with the footer below, unless it shows the unsubscribe address already. */
export function withTextFooter(plainText: string, links: FooterLinks, locale: Locale): string {
  if (plainText.includes(links.unsubscribeUrl)) return plainText;
  const footer = textFooter(links, locale);
  return plainText === '' ? footer : `${plainText}\n\n${footer}`;
}

function textFooter(links: FooterLinks, locale: Locale): string {
  const text = messages[locale];
  return [
    '-- ',
    text['footer.reason'],
    `${text['footer.unsubscribe']}: ${links.unsubscribeUrl}`,
    `${text['footer.preferences']}: ${links.manageUrl}`,
  ].join('\n');
}

/** A noncharacter, in place of an address. */
const anyUrl = '\ufdd0';
const anyLinks: FooterLinks = { unsubscribeUrl: anyUrl, manageUrl: anyUrl };

/** What the footers of all emails in a language have in common: what stands around their addresses. */
export const htmlFooterParts = (locale: Locale): string[] => htmlFooter(anyLinks, locale).split(anyUrl);

/** As `htmlFooterParts`, of the text. */
export const textFooterParts = (locale: Locale): string[] => textFooter(anyLinks, locale).split(anyUrl);

/** Whether the address is the target of a link: just mentioned, in a comment for instance, does not count. */
function linksTo(html: string, url: string): boolean {
  if (url === '') return false;
  return [url, escapeHtml(url)].some((address) => {
    for (let at = html.indexOf(address); at !== -1; at = html.indexOf(address, at + address.length)) {
      if (/href\s{0,9}=\s{0,9}["']?$/i.test(html.slice(Math.max(0, at - 30), at))) return true;
    }
    return false;
  });
}

function endOfBody(html: string): number {
  for (const tag of ['</body', '</html']) {
    const at = Math.max(html.lastIndexOf(tag), html.lastIndexOf(tag.toUpperCase()));
    if (at !== -1) return at;
  }
  return html.length;
}
