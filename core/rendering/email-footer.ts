import { LRUCache } from 'lru-cache';
import { blankComments, escapeHtml } from '../html.ts';
import { type Locale, messages } from '../messages/messages.ts';
import type { ContactLinks } from '../public-links.ts';
import { insertText, type PiecedText, toOutlines, withoutHoles } from './pieced-text.ts';

type FooterLinks = Pick<ContactLinks, 'unsubscribeUrl' | 'manageUrl'>;

export interface FooterTexts {
  locale: Locale;
  /** Postal address of the sender: plain text with line breaks. */
  address: string | null;
}

type Footer = Record<'html' | 'text', ReturnType<typeof toOutlines>>;

/** Projects that send the same content differ in their footers. */
const footers = new LRUCache<string, Footer, FooterTexts>({
  max: 200,
  memoMethod: (_key, _stale, { context: { locale, address } }) => ({
    html: toOutlines(htmlFooter(messages[locale], address)),
    text: toOutlines(textFooter(messages[locale], address)),
  }),
});

/** The texts around the two links. */
const footerOf = (texts: FooterTexts): Footer =>
  footers.memo(texts.locale + (texts.address ?? '\0'), { context: texts });

function htmlFooter(text: (typeof messages)[Locale], address: string | null): string[] {
  const style = 'style="color:#666666;text-decoration:underline"';
  const lines = escapeHtml(withoutHoles(address ?? '')).replaceAll('\n', '<br>');
  // `dir`: all our languages are left-to-right, whatever that of the email. `ses:no-track`: an opt-out is no click of the
  // campaign. Source: Amazon SES developer guide, metrics FAQ.
  return [
    '<div style="margin:24px auto 0;padding:16px;text-align:center;font-family:Arial,Helvetica,sans-serif;' +
      `font-size:12px;line-height:18px;color:#666666" dir="ltr">${escapeHtml(text['footer.reason'])}<br><a ses:no-track href="`,
    `" ${style}>${escapeHtml(text['footer.unsubscribe'])}</a> · <a ses:no-track href="`,
    `" ${style}>${escapeHtml(text['footer.preferences'])}</a>${address === null ? '' : `<br><br>${lines}`}</div>`,
  ];
}

function textFooter(text: (typeof messages)[Locale], address: string | null): string[] {
  return [
    `-- \n${text['footer.reason']}\n${text['footer.unsubscribe']}: `,
    `\n${text['footer.preferences']}: `,
    address === null ? '' : `\n\n${withoutHoles(address)}`,
  ];
}

export function withHtmlFooter(html: PiecedText, links: FooterLinks, texts: FooterTexts): PiecedText {
  if (linksTo(html.outline, links.unsubscribeUrl)) return html;
  const escaped = [escapeHtml(links.unsubscribeUrl), escapeHtml(links.manageUrl)];
  return insertText(html, endOfBody(html.outline), between(footerOf(texts).html, escaped));
}

export function withTextFooter(text: PiecedText, links: FooterLinks, texts: FooterTexts): PiecedText {
  if (text.outline.includes(links.unsubscribeUrl)) return text;
  const { outline, pieces } = between(footerOf(texts).text, [links.unsubscribeUrl, links.manageUrl]);
  const blank = text.outline === '' ? '' : '\n\n';
  return insertText(text, text.outline.length, { outline: blank + outline, pieces });
}

const between = ({ outlines, pieces }: Footer['html'], urls: readonly string[]): PiecedText => ({
  outline: outlines.map((outline, index) => outline + (urls[index] ?? '')).join(''),
  pieces,
});

/** Up to the address: in a link, and not in an attribute such as `data-href`. */
const linkTo = /<(?:a|area)\s(?:[^<>\0]*[^<>\0\w-])?href\s{0,9}=\s{0,9}["']?$/i;
const longestTag = 2_000;

function linksTo(html: string, url: string): boolean {
  if (url === '') return false;
  const visible = blankComments(html);
  const escaped = escapeHtml(url);
  return (escaped === url ? [url] : [url, escaped]).some((address) => {
    for (let at = visible.indexOf(address); at !== -1; at = visible.indexOf(address, at + address.length)) {
      const before = visible.slice(Math.max(0, at - longestTag), at);
      if (linkTo.test(before.slice(before.lastIndexOf('<')))) return true;
    }
    return false;
  });
}

function endOfBody(markup: string): number {
  const html = blankComments(markup);
  for (const tag of ['</body', '</html']) {
    const lower = html.lastIndexOf(tag);
    // Searching the rest is cheap: most emails end there.
    const upper = html.slice(lower + 1).lastIndexOf(tag.toUpperCase());
    if (upper !== -1) return lower + 1 + upper;
    if (lower !== -1) return lower;
  }
  return html.length;
}
