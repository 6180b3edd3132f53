import { toPlainTextTemplate } from './plain-text-template.ts';
import type { Template, TemplateError } from './template.ts';
import { createTemplateCache, type TemplateCache } from './template-cache.ts';

export interface EmailSource {
  subject: string;
  body: string;
}

export interface EmailTemplate {
  subject: Template;
  html: Template;
  text: Template | undefined;
}

export type CompileEmailResult =
  | { ok: true; template: EmailTemplate }
  | { ok: false; error: TemplateError & { field: 'subject' | 'body' } };

interface TextPart {
  uses: number;
  template: Template | undefined;
}

// Building a text template costs as much as converting the HTML of a handful of recipients.
const usesBeforeTextTemplate = 3;

/**
 * Compiles emails and caches them by content. From the third compilation of a body (the first with
 * `recipients: 'many'`) the text part is a template instead of a conversion per recipient.
 */
export function createEmailTemplates({
  recipients = 'one',
  cache = createTemplateCache(),
}: {
  recipients?: 'one' | 'many';
  cache?: TemplateCache;
} = {}) {
  /** By the compiled body. */
  const textParts = new WeakMap<Template, TextPart>();
  const textOf = (html: Template, body: string): Template | undefined => {
    const part = textParts.get(html) ?? { uses: 0, template: undefined };
    textParts.set(html, part);
    part.uses++;
    const isDue = part.uses === (recipients === 'many' ? 1 : usesBeforeTextTemplate);
    if (isDue) part.template = toPlainTextTemplate(body)?.template;
    return part.template;
  };
  return {
    compile(source: EmailSource): CompileEmailResult {
      const subject = cache.compile(source.subject, 'text');
      if (!subject.ok) return { ok: false, error: { field: 'subject', ...subject.error } };
      const html = cache.compile(source.body, 'html');
      if (!html.ok) return { ok: false, error: { field: 'body', ...html.error } };
      const text = textOf(html.template, source.body);
      const template = { subject: subject.template, html: html.template, text };
      if (recipients === 'one') return { ok: true, template };
      return { ok: true, template: { ...template, html: html.template.inPieces(), text: text?.inPieces() } };
    },
  };
}
