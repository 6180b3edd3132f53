import { previewElementOf } from './preview-text.ts';

/** An email's HTML, split into the editable content and the surrounding document, which never changes. */
export interface EmailDocument {
  before: string;
  content: string;
  after: string;
}

/** Whitespace around the content belongs to the document, and so does the preview text. */
export function splitDocument(html: string): EmailDocument {
  const [, start = '', inner = html, end = ''] =
    /^([\s\S]*?<body\b[^>]*>[ \t\r\n]*)([\s\S]*)(<\/body\s*>[\s\S]*)$/i.exec(html) ?? [];
  const preview = previewElementOf(inner);
  const content = inner.slice(preview.length);
  const [space = ''] = end === '' ? [] : (/[ \t\r\n]*$/.exec(content) ?? []);
  return {
    before: start + preview,
    content: content.slice(0, content.length - space.length),
    after: `${space}${end}`,
  };
}

/** Whether mail clients show something that stands after the end of the body. */
export const showsMoreAfter = ({ after }: EmailDocument): boolean =>
  after.replaceAll(/<!--[\s\S]*?-->|\{%[\s\S]*?%\}|<\/(body|html)\s*>/gi, '').trim() !== '';

/** Styles and direction of the elements around the content. Parsing loads and runs nothing. */
export function pageLook({ before }: EmailDocument) {
  const { body, documentElement } = new DOMParser().parseFromString(before, 'text/html');
  const { backgroundColor, color, fontFamily, lineHeight } = body.style;
  return {
    backgroundColor: backgroundColor || (body.getAttribute('bgcolor') ?? ''),
    color,
    fontFamily,
    lineHeight,
    direction: (body.dir || documentElement.dir) === 'rtl' ? ('rtl' as const) : ('ltr' as const),
  };
}
