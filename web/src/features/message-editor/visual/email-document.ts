/** An email's HTML: the content that is edited, and the document around it, which stays as it is. */
export interface EmailDocument {
  before: string;
  content: string;
  after: string;
}

/** White space around the content belongs to the document. */
export function splitDocument(html: string): EmailDocument {
  const [, before = '', content = html, after = ''] =
    /^([\s\S]*?<body\b[^>]*>[ \t\r\n]*)([\s\S]*)(<\/body\s*>[\s\S]*)$/i.exec(html) ?? [];
  const [space = ''] = after === '' ? [] : (/[ \t\r\n]*$/.exec(content) ?? []);
  return { before, content: content.slice(0, content.length - space.length), after: `${space}${after}` };
}

/** How the body element looks, which is not part of the edited content. Nothing in the document loads or runs. */
export function pageLook({ before }: EmailDocument) {
  const { body } = new DOMParser().parseFromString(before, 'text/html');
  const { backgroundColor, color, fontFamily, lineHeight } = body.style;
  return {
    backgroundColor: backgroundColor || (body.getAttribute('bgcolor') ?? ''),
    color,
    fontFamily,
    lineHeight,
  };
}
