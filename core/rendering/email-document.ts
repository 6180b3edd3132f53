import { isOwnedHeader } from '../headers/custom-headers.ts';
import { sanitizeHeaderValue } from '../headers/header-text.ts';
import { resolveLocale } from '../messages/messages.ts';
import { withHtmlFooter, withTextFooter } from './email-footer.ts';
import { type EmailLayout, layoutOf } from './email-layout.ts';
import type { EmailTemplate } from './email-template.ts';
import { htmlToText, tidyText } from './plain-text.ts';
import { RenderBudget, type RenderLimit } from './render-budget.ts';
import type { Template } from './template.ts';
import type { ContactLinks, TemplateVariables } from './variables.ts';

/** What an email is for; decides on the footer and the headers for unsubscribing. */
export type EmailType = 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS';

export interface RenderEmailOptions {
  type: EmailType;
  /** As `buildVariables` gives them; the footer takes its language from `locale`. */
  variables: TemplateVariables;
  links: Omit<ContactLinks, 'subscribeUrl'>;
  now: Date;
  /** Headers of the request; those that the email itself needs win over them. */
  headers?: Readonly<Record<string, string>>;
  /** Put before the subject, such as `[TEST] `. */
  subjectPrefix?: string;
}

export interface RenderedEmail {
  /** One line of at most 998 characters. */
  subject: string;
  html: string;
  /** Empty when the HTML holds no text. */
  text: string;
  /** By name; values are single lines, not yet encoded. */
  headers: Record<string, string>;
}

export type RenderEmailResult =
  /** `layout`: what the email has in common with others of its template, most likely. */
  | { ok: true; email: RenderedEmail; layout: () => EmailLayout }
  | { ok: false; part: 'subject' | 'html' | 'text'; limit: RenderLimit };

/**
 * Renders an email for one recipient. Data never makes it fail; a template that goes on for too long fails,
 * with the limit that it exceeds. All parts share one budget.
 *
 * MARKETING gets a footer with an unsubscribe link unless the body has one, one-click unsubscribe headers
 * (RFC 8058) and `Precedence: bulk`; HEADLESS the one-click headers; TRANSACTIONAL nothing.
 */
export function renderEmail(template: EmailTemplate, options: RenderEmailOptions): RenderEmailResult {
  const { type, variables, links, now } = options;
  const budget = new RenderBudget();
  const render = (part: Template) => part.render(variables, { now, budget });

  const subject = render(template.subject);
  if (!subject.ok) return { ...subject, part: 'subject' };
  const renderedHtml = render(template.html);
  if (!renderedHtml.ok) return { ...renderedHtml, part: 'html' };
  const renderedText = template.text ? render(template.text) : undefined;
  if (renderedText && !renderedText.ok) return { ...renderedText, part: 'text' };

  const ownHtml = cleanText(renderedHtml.output);
  const ownText = renderedText ? tidyText(cleanText(renderedText.output)) : htmlToText(ownHtml);
  const locale = resolveLocale(variables.locale);
  const [html, text] =
    type === 'MARKETING'
      ? [withHtmlFooter(ownHtml, links, locale), withTextFooter(ownText, links, locale)]
      : [ownHtml, ownText];
  const headers = mergeHeaders(options.headers ?? {}, typeHeaders(type, links.unsubscribeUrl));
  const line = sanitizeHeaderValue(`${options.subjectPrefix ?? ''}${subject.output}`);
  const [htmlFooter, textFooter] = [html.length > ownHtml.length, text.length > ownText.length];
  const layout = () => layoutOf(template, { locale, htmlFooter, textFooter });
  return { ok: true, email: { subject: line, html, text, headers }, layout };
}

/** The headers that an email of a type carries. */
export function typeHeaders(type: EmailType, unsubscribeUrl: string): Record<string, string> {
  if (type === 'TRANSACTIONAL') return {};
  const oneClick = {
    'List-Unsubscribe': `<${sanitizeHeaderValue(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  return type === 'MARKETING' ? { ...oneClick, Precedence: 'bulk' } : oneClick;
}

/** Headers of a request and our own: ours win whatever the case of the names, values become single lines. */
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

/** Without what no mail system takes: NUL and halves of surrogate pairs. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
