import { html } from '../../core/html.ts';
import type { RenderedEmail } from '../../core/rendering/email-document.ts';
import type { Page } from './page.ts';

/**
 * Anybody with a project can write this page, on the host of the API. So it is of no origin there, and can't run scripts,
 * send forms or be framed. Its links may lead to files, which browsers otherwise refuse without a word.
 */
const policy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox allow-downloads',
  "default-src 'none'",
  'img-src http: https: data:',
  'media-src http: https: data:',
  "style-src 'unsafe-inline' http: https:",
  'font-src http: https: data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const isDocument = /<html[\s>]/i;

/** An email as a page of its own. A body without a document around it gets one. */
export function emailPage({ subject, html: content }: Pick<RenderedEmail, 'subject' | 'html'>): Page {
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title>`;
  return {
    body: isDocument.test(content)
      ? content
      : `<!doctype html>\n<html><head>${head.text}</head><body>${content}</body></html>\n`,
    headers: { 'Content-Security-Policy': policy, 'X-Robots-Tag': 'noindex, nofollow' },
  };
}
