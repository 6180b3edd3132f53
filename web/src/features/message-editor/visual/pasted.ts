import { codeOf, elementsOf, htmlOf } from './elements.ts';
import { edited } from './kept-attributes.ts';
import { isComment } from './liquid.ts';
import { parseContent } from './parse-content.ts';

/** Attributes that belong to the content rather than its look. */
const contentAttributes: Record<string, readonly string[]> = {
  ...edited,
  A: edited.A?.filter((name) => name !== 'class') ?? [],
  TD: ['colspan', 'rowspan'],
  TH: ['colspan', 'rowspan'],
};

/** Removes the styles, scripts and comments of the page that the HTML was copied from. */
export function cleanPasted(html: string): string {
  const root = parseContent(html);
  for (const element of root.querySelectorAll('script, style, meta, link, title')) element.remove();
  for (const element of elementsOf(root)) {
    const code = codeOf(element);
    if (isComment(code ?? '')) element.remove();
    if (code !== null) continue;
    const kept = new Set(contentAttributes[element.tagName]);
    for (const { name } of [...element.attributes]) if (!kept.has(name)) element.removeAttribute(name);
    if (/^\s*javascript:/i.test(element.getAttribute('href') ?? '')) element.removeAttribute('href');
    if (['SPAN', 'FONT'].includes(element.tagName)) element.replaceWith(...element.childNodes);
  }
  return htmlOf(root);
}
