import { codeOf, elementsOf, htmlOf } from './elements.ts';
import { edited } from './kept-attributes.ts';
import { isComment } from './liquid.ts';
import { parseContent } from './parse-content.ts';
import { styleOf } from './styles.ts';
import { restoreWordLists } from './word-lists.ts';

/** Attributes that belong to the content rather than its look. */
const contentAttributes: Record<string, readonly string[]> = {
  ...edited,
  A: edited.A?.filter((name) => name !== 'class') ?? [],
  TD: ['colspan', 'rowspan'],
  TH: ['colspan', 'rowspan'],
};

/** Google Docs wraps what it copies in an element that means nothing, mostly a `<b>` that is not bold. */
const docsWrapper = /<(b|span)\b[^>]*\bid="docs-internal-guid[^>]*>([\s\S]*)<\/\1>(<br[^>]*>)?/i;

/** Only the sender's computer has these images: Word copies files, Outlook parts of a message. */
const localImage = /^\s*(file|blob|cid|about|webkit-fake-url):/i;

const localImagesOf = (root: ParentNode): Element[] =>
  [...root.querySelectorAll('img')].filter((image) => localImage.test(image.getAttribute('src') ?? ''));

/** Whether `cleanPasted` removes an image. */
export const hasLocalImage = (html: string): boolean => localImagesOf(parseContent(html)).length > 0;

/** Removes the styles, scripts and comments of the page that the HTML was copied from, and images that no reader could see. */
export function cleanPasted(html: string): string {
  const root = parseContent(html.replace(docsWrapper, '$2'));
  for (const element of root.querySelectorAll('script, style, meta, link, title')) element.remove();
  for (const image of localImagesOf(root)) image.remove();
  for (const element of elementsOf(root)) if (isComment(codeOf(element) ?? '')) element.remove();
  restoreWordLists(root);
  for (const element of elementsOf(root)) {
    if (codeOf(element) !== null) continue;
    const tags = emphasisOf(element.getAttribute('style') ?? '');
    const kept = new Set(contentAttributes[element.tagName]);
    for (const { name } of [...element.attributes]) if (!kept.has(name)) element.removeAttribute(name);
    if (/^\s*javascript:/i.test(element.getAttribute('href') ?? '')) element.removeAttribute('href');
    if (!['SPAN', 'FONT'].includes(element.tagName)) continue;
    let nodes: Node[] = [...element.childNodes];
    for (const tag of tags) {
      // In the fragment's own document, where images don't load.
      const emphasis = element.ownerDocument.createElement(tag);
      emphasis.append(...nodes);
      nodes = [emphasis];
    }
    element.replaceWith(...nodes);
  }
  return htmlOf(root);
}

/** The tags that mean the same as the style of a `span`, the innermost first. */
function emphasisOf(style: string): string[] {
  const isItalic = /^(italic|oblique)/i.test(styleOf({ style }, 'font-style'));
  const isBold = /^(bold|[6-9]00\b)/i.test(styleOf({ style }, 'font-weight'));
  return [...(isItalic ? ['em'] : []), ...(isBold ? ['strong'] : [])];
}
