/** Hides the text from readers and from the text part. */
const hidden = 'data-text="none" style="display: none; max-height: 0; overflow: hidden;"';

const hiddenElement = /^<div\b[^>]*\bstyle="[^">]*\bdisplay:\s*none\b[^">]*"[^>]*>([^<]*)<\/div>[ \t\r\n]*/i;
const untilContent = /^[\s\S]*?<body\b[^>]*>[ \t\r\n]*/i;

/** Invisible characters with which other tools keep the first words of the email out of the inbox. */
const filler = /(?:\s*&(?:zwnj|nbsp|shy|#847|#8199|#8203|#65279|#x200[bc]);)+\s*$/i;

/** The hidden element with the preview text at the start of the content; empty if it has none. */
export const previewElementOf = (content: string): string => hiddenElement.exec(content)?.[0] ?? '';

function split(html: string) {
  const before = untilContent.exec(html)?.[0] ?? '';
  const element = previewElementOf(html.slice(before.length));
  return { before, element, after: html.slice(before.length + element.length) };
}

/** What most inboxes show after the subject, instead of the first words of the email. */
export function readPreviewText(html: string): string {
  const [, source = ''] = hiddenElement.exec(split(html).element) ?? [];
  return source
    .replace(filler, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** Puts it into a hidden element at the start of the body; an empty one removes the element. */
export function writePreviewText(html: string, text: string): string {
  const { before, after } = split(html);
  if (text === '') return before + after;
  const [space = ''] = /[ \t\r\n]*$/.exec(before) ?? [];
  const source = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${before}<div ${hidden}>${source}</div>${space}${after}`;
}
