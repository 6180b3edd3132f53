import type { ContentType } from '../content-types.ts';
import type { EmailBrand } from '../email-brand.ts';
import { isOwnedHeader } from '../headers/custom-headers.ts';
import { sanitizeHeaderValue } from '../headers/header-text.ts';
import { resolveLocale } from '../messages/messages.ts';
import type { ContactLinks } from '../public-links.ts';
import { withHtmlFooter, withTextFooter } from './email-footer.ts';
import type { EmailTemplate } from './email-template.ts';
import { noPieces, type PiecedText, wholeText, withoutHoles } from './pieced-text.ts';
import { htmlToText, tidyText } from './plain-text.ts';
import { RenderBudget, type RenderLimit } from './render-budget.ts';
import type { Template } from './template.ts';
import type { TemplateVariables } from './variables.ts';

export interface RenderEmailOptions {
  type: ContentType;
  variables: TemplateVariables;
  links: Pick<ContactLinks, 'unsubscribeUrl' | 'manageUrl'>;
  brand: EmailBrand;
  now: Date;
  headers?: Readonly<Record<string, string>>;
}

export interface RenderedEmail {
  /** One line of at most 998 characters. */
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
}

/** An email whose pieces are shared with other emails of the template. */
export type PiecedEmail = Omit<RenderedEmail, 'html' | 'text'> & Record<'html' | 'text', PiecedText>;

export type RenderEmailResult<Email> =
  | { ok: true; email: Email }
  | { ok: false; part: 'subject' | 'html' | 'text'; limit: RenderLimit };

/**
 * Renders an email for one recipient. It never fails because of data, only when a template exceeds a limit. All parts
 * share one budget.
 *
 * MARKETING gets one-click unsubscribe headers (RFC 8058), `Precedence: bulk` and, unless the body has an unsubscribe
 * link, a footer with one and the postal address; HEADLESS gets the one-click headers; TRANSACTIONAL nothing.
 */
export function renderEmail(
  template: EmailTemplate,
  options: RenderEmailOptions,
): RenderEmailResult<RenderedEmail> {
  const rendered = renderInPieces(template, options);
  if (!rendered.ok) return rendered;
  const { email } = rendered;
  return { ok: true, email: { ...email, html: wholeText(email.html), text: wholeText(email.text) } };
}

/** Like `renderEmail`, with HTML and text in pieces. */
export function renderInPieces(
  template: EmailTemplate,
  options: RenderEmailOptions,
): RenderEmailResult<PiecedEmail> {
  const { type, variables, links, brand, now } = options;
  const budget = new RenderBudget();
  const render = (part: Template) => part.renderInPieces(variables, { now, budget });

  const subject = render(template.subject);
  if (!subject.ok) return { ...subject, part: 'subject' };
  const renderedHtml = render(template.html);
  if (!renderedHtml.ok) return { ...renderedHtml, part: 'html' };
  const renderedText = template.text ? render(template.text) : undefined;
  if (renderedText && !renderedText.ok) return { ...renderedText, part: 'text' };

  let html = wellFormed(renderedHtml.output);
  let text = renderedText
    ? { ...renderedText.output, outline: tidyText(wellFormed(renderedText.output).outline) }
    : { outline: withoutHoles(htmlToText(wholeText(html))), pieces: noPieces };
  if (type === 'MARKETING') {
    const footer = { locale: resolveLocale(variables.locale, brand.language), address: brand.footerAddress };
    html = withHtmlFooter(html, links, footer);
    text = withTextFooter(text, links, footer);
  }
  const headers = mergeHeaders(options.headers ?? {}, typeHeaders(type, links.unsubscribeUrl));
  const line = sanitizeHeaderValue(wholeText(subject.output));
  return { ok: true, email: { subject: line, html, text, headers } };
}

const wellFormed = ({ outline, pieces }: PiecedText): PiecedText => ({
  outline: outline.toWellFormed(),
  pieces,
});

export function typeHeaders(type: ContentType, unsubscribeUrl: string): Record<string, string> {
  if (type === 'TRANSACTIONAL') return {};
  const oneClick = {
    'List-Unsubscribe': `<${sanitizeHeaderValue(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return type === 'MARKETING' ? { ...oneClick, Precedence: 'bulk' } : oneClick;
}

function mergeHeaders(
  requested: Readonly<Record<string, string>>,
  own: Record<string, string>,
): Record<string, string> {
  if (Object.keys(requested).length === 0) return own;
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const kept = Object.entries(requested).filter(
    ([name]) => !ownNames.has(name.toLowerCase()) && !isOwnedHeader(name),
  );
  return Object.fromEntries([
    ...kept.map(([name, value]) => [name, sanitizeHeaderValue(value)]),
    ...Object.entries(own),
  ]);
}
