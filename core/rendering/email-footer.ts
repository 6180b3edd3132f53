import { escapeHtml } from '../html.ts';
import { type Locale, messages } from '../messages/messages.ts';

export interface FooterLinks {
  unsubscribeUrl: string;
  manageUrl: string;
}

export interface FooterTexts {
  locale: Locale;
  /** Postal address of the sender: plain text, a line each. */
  address: string | null;
}

export function withHtmlFooter(html: string, links: FooterLinks, texts: FooterTexts): string {
  if (linksTo(html, links.unsubscribeUrl)) return html;
  const end = endOfBody(html);
  return `${html.slice(0, end)}${htmlFooter(links, texts)}${html.slice(end)}`;
}

function htmlFooter(links: FooterLinks, { locale, address }: FooterTexts): string {
  const text = messages[locale];
  const anchor = (url: string, label: string) =>
    `<a href="${escapeHtml(url)}" style="color:#666666;text-decoration:underline">${escapeHtml(label)}</a>`;
  return (
    '<div style="margin:24px auto 0;padding:16px;text-align:center;font-family:Arial,Helvetica,sans-serif;' +
    'font-size:12px;line-height:18px;color:#666666">' +
    `${escapeHtml(text['footer.reason'])}<br>` +
    `${anchor(links.unsubscribeUrl, text['footer.unsubscribe'])} · ` +
    `${anchor(links.manageUrl, text['footer.preferences'])}` +
    `${address === null ? '' : `<br><br>${escapeHtml(address).replaceAll('\n', '<br>')}`}</div>`
  );
}

export function withTextFooter(plainText: string, links: FooterLinks, texts: FooterTexts): string {
  if (plainText.includes(links.unsubscribeUrl)) return plainText;
  const footer = textFooter(links, texts);
  return plainText === '' ? footer : `${plainText}\n\n${footer}`;
}

function textFooter(links: FooterLinks, { locale, address }: FooterTexts): string {
  const text = messages[locale];
  return [
    '-- ',
    text['footer.reason'],
    `${text['footer.unsubscribe']}: ${links.unsubscribeUrl}`,
    `${text['footer.preferences']}: ${links.manageUrl}`,
    ...(address === null ? [] : ['', address]),
  ].join('\n');
}

const anyUrl = '\ufdd0';
const anyLinks: FooterLinks = { unsubscribeUrl: anyUrl, manageUrl: anyUrl };

export const htmlFooterParts = (texts: FooterTexts): string[] => htmlFooter(anyLinks, texts).split(anyUrl);

export const textFooterParts = (texts: FooterTexts): string[] => textFooter(anyLinks, texts).split(anyUrl);

function linksTo(html: string, url: string): boolean {
  if (url === '') return false;
  const escaped = escapeHtml(url);
  return (escaped === url ? [url] : [url, escaped]).some((address) => {
    for (let at = html.indexOf(address); at !== -1; at = html.indexOf(address, at + address.length)) {
      if (/href\s{0,9}=\s{0,9}["']?$/i.test(html.slice(Math.max(0, at - 30), at))) return true;
    }
    return false;
  });
}

function endOfBody(html: string): number {
  for (const tag of ['</body', '</html']) {
    const lower = html.lastIndexOf(tag);
    // Searching what follows is cheap: most emails end there.
    const upper = html.slice(lower + 1).lastIndexOf(tag.toUpperCase());
    if (upper !== -1) return lower + 1 + upper;
    if (lower !== -1) return lower;
  }
  return html.length;
}
