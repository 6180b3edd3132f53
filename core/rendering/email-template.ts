import { LRUCache } from 'lru-cache';
import { toPlainTextTemplate } from './plain-text-template.ts';
import type { Template, TemplateError } from './template.ts';
import { createTemplateCache, type TemplateCache } from './template-cache.ts';

export interface EmailSource {
  /** Liquid, never escaped. */
  subject: string;
  /** HTML with Liquid; outputs are escaped but for `| raw`. */
  body: string;
}

/** An email whose content is compiled, for any number of recipients. */
export interface EmailTemplate {
  subject: Template;
  html: Template;
  /** Undefined: the text part is converted from the rendered HTML. */
  text: Template | undefined;
}

export type CompileEmailResult =
  | { ok: true; template: EmailTemplate }
  | { ok: false; error: TemplateError & { field: 'subject' | 'body' } };

export interface EmailTemplates {
  /** Compiles subject and body, or says where the first of them does not parse. */
  compile(source: EmailSource): CompileEmailResult;
}

interface TextPart {
  uses: number;
  template: Template | undefined;
}

// Making a text template costs as much as converting the HTML of a handful of recipients, so a body that is
// used once is converted, and one that comes again gets its template.
const usesBeforeTextTemplate = 3;

/**
 * Compiles emails and remembers them by their content. Call `compile` once for each recipient, or each batch
 * of one campaign: from the third call on (or the first with `recipients: 'many'`) the text part has a
 * template of its own instead of a conversion for each recipient.
 */
export function createEmailTemplates(
  options: { recipients?: 'one' | 'many'; cache?: TemplateCache; maxCharacters?: number } = {},
): EmailTemplates {
  const { recipients = 'one', maxCharacters = 8_000_000 } = options;
  const cache = options.cache ?? createTemplateCache(maxCharacters);
  const textParts = new LRUCache<string, TextPart>({ maxSize: maxCharacters });
  const textOf = (body: string): Template | undefined => {
    const part = textParts.get(body) ?? { uses: 0, template: undefined };
    if (part.uses === 0) textParts.set(body, part, { size: body.length + 1 });
    part.uses++;
    const isDue = part.uses === (recipients === 'many' ? 1 : usesBeforeTextTemplate);
    if (isDue) part.template = toPlainTextTemplate(body)?.template;
    return part.template;
  };
  return {
    compile(source) {
      const subject = cache.compile(source.subject, { kind: 'text' });
      if (!subject.ok) return { ok: false, error: { field: 'subject', ...subject.error } };
      const html = cache.compile(source.body, { kind: 'html' });
      if (!html.ok) return { ok: false, error: { field: 'body', ...html.error } };
      const text = textOf(source.body);
      return { ok: true, template: { subject: subject.template, html: html.template, text } };
    },
  };
}
