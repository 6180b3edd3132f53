import { LRUCache } from 'lru-cache';
import { type FooterTexts, htmlFooterParts, textFooterParts } from './email-footer.ts';
import type { EmailTemplate } from './email-template.ts';
import { tidyText } from './plain-text.ts';
import type { Template } from './template.ts';

/**
 * Pieces that emails of one template share, in order, for providers that accept them once for many emails.
 * Only a hint: an email may not contain them.
 */
export interface EmailLayout {
  html: readonly string[];
  text: readonly string[];
}

export interface LayoutVariant {
  footer: FooterTexts;
  htmlFooter: boolean;
  textFooter: boolean;
}

const shortestPiece = 100;
const mostPieces = 100;
/** Projects that send the same content differ in their footers. */
const mostVariants = 50;

const layouts = new WeakMap<Template, LRUCache<string, EmailLayout>>();

export function layoutOf(template: EmailTemplate, variant: LayoutVariant): EmailLayout {
  const variants = layouts.get(template.html) ?? new LRUCache<string, EmailLayout>({ max: mostVariants });
  layouts.set(template.html, variants);
  const { footer, htmlFooter, textFooter } = variant;
  const key = `${footer.locale} ${htmlFooter} ${textFooter} ${template.text !== undefined} ${footer.address ?? ''}`;
  const known = variants.get(key);
  if (known !== undefined) return known;
  const made = { html: htmlPieces(template, variant), text: textPieces(template, variant) };
  variants.set(key, made);
  return made;
}

function htmlPieces(template: EmailTemplate, { footer, htmlFooter }: LayoutVariant): string[] {
  // The footer is inserted before the end of the body, so the literal with that end is split in two.
  const pieces = template.html.literals.flatMap((literal) => literal.split(/(?=<\/(?:body|html))/i));
  const ends = (tag: RegExp) => pieces.findLastIndex((piece) => tag.test(piece));
  const end = [ends(/^<\/body/i), ends(/^<\/html/i)].find((index) => index !== -1) ?? pieces.length;
  if (htmlFooter) pieces.splice(end, 0, ...htmlFooterParts(footer));
  return worthwhile(pieces);
}

function textPieces({ text }: EmailTemplate, { footer, textFooter }: LayoutVariant): string[] {
  const pieces = text?.literals.map(tidyText) ?? [];
  return worthwhile([...pieces, ...(textFooter ? textFooterParts(footer) : [])]);
}

const worthwhile = (pieces: readonly string[]) =>
  pieces.filter(({ length }) => length >= shortestPiece).slice(0, mostPieces);
