import type { Locale } from '../messages/messages.ts';
import { htmlFooterParts, textFooterParts } from './email-footer.ts';
import type { EmailTemplate } from './email-template.ts';
import { tidyText } from './plain-text.ts';
import type { Template } from './template.ts';

/**
 * Pieces that the emails of one template have in common, in their order; what stands between them differs. Meant for
 * a provider that takes what is common once for many emails. It promises nothing: an email need not hold the pieces.
 */
export interface EmailLayout {
  html: readonly string[];
  text: readonly string[];
}

/** Which footers an email has. */
export interface LayoutVariant {
  locale: Locale;
  htmlFooter: boolean;
  textFooter: boolean;
}

/** What is shorter is not worth a piece of its own. */
const shortestPiece = 100;
const mostPieces = 100;

const layouts = new WeakMap<Template, Map<string, EmailLayout>>();

/** The layout of the emails of a template, the same object for the same variant. */
export function layoutOf(template: EmailTemplate, variant: LayoutVariant): EmailLayout {
  const variants = layouts.get(template.html) ?? new Map<string, EmailLayout>();
  layouts.set(template.html, variants);
  const { locale, htmlFooter, textFooter } = variant;
  const key = `${locale} ${htmlFooter} ${textFooter} ${template.text !== undefined}`;
  const known = variants.get(key);
  if (known !== undefined) return known;
  const made = { html: htmlPieces(template, variant), text: textPieces(template, variant) };
  variants.set(key, made);
  return made;
}

function htmlPieces(template: EmailTemplate, { locale, htmlFooter }: LayoutVariant): string[] {
  // The footer comes in front of the end of the body, so what holds that end is in two pieces.
  const pieces = template.html.literals.flatMap((literal) => literal.split(/(?=<\/(?:body|html))/i));
  const ends = (tag: RegExp) => pieces.findLastIndex((piece) => tag.test(piece));
  const end = [ends(/^<\/body/i), ends(/^<\/html/i)].find((index) => index !== -1) ?? pieces.length;
  if (htmlFooter) pieces.splice(end, 0, ...htmlFooterParts(locale));
  return worthwhile(pieces);
}

function textPieces({ text }: EmailTemplate, { locale, textFooter }: LayoutVariant): string[] {
  const pieces = text?.literals.map(tidyText) ?? [];
  return worthwhile([...pieces, ...(textFooter ? textFooterParts(locale) : [])]);
}

const worthwhile = (pieces: readonly string[]) =>
  pieces.filter(({ length }) => length >= shortestPiece).slice(0, mostPieces);
