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
