import { elementsOf } from './elements.ts';
import { styleOf } from './styles.ts';

const listStyleOf = (element: Element): string =>
  styleOf({ style: element.getAttribute('style') ?? '' }, 'mso-list');

/** Removes the text that Word writes as the bullet or number of a paragraph. @returns the tag of its list, and its number */
function takeMarker(item: Element) {
  const marker = elementsOf(item).find((element) => /^ignore$/i.test(listStyleOf(element)));
  marker?.remove();
  // "1.", "a)", "iv."; Word's round bullet is the letter "o".
  const [, number] = /^\s*\(?(\d+|[a-z]+)[.)]/i.exec(marker?.textContent ?? '') ?? [];
  return { tag: number === undefined ? 'ul' : 'ol', start: Number(number) || 1 };
}

/** Makes lists of the paragraphs that Word writes for the items of a list, nested by their level. */
export function restoreWordLists(root: ParentNode): void {
  /** The lists around the last item, the outermost first. */
  let lists: Element[] = [];
  for (const paragraph of elementsOf(root)) {
    const [, wanted] = /\blevel(\d)/i.exec(listStyleOf(paragraph)) ?? [];
    // A numbered heading stays a heading.
    if (wanted === undefined || paragraph.localName !== 'p') continue;
    if (paragraph.previousElementSibling !== lists[0]) lists = [];
    const { tag, start } = takeMarker(paragraph);
    const level = Math.min(Number(wanted), lists.length + 1);
    lists.length = lists[level - 1]?.localName === tag ? level : level - 1;
    const { ownerDocument } = paragraph;
    if (lists.length < level) {
      const list = ownerDocument.createElement(tag);
      // A list goes on after a paragraph.
      if (start > 1) list.setAttribute('start', String(start));
      const parent = lists.at(-1)?.lastElementChild;
      if (parent) parent.append(list);
      else paragraph.before(list);
      lists.push(list);
    }
    const item = ownerDocument.createElement('li');
    item.append(...paragraph.childNodes);
    lists.at(-1)?.append(item);
    paragraph.remove();
  }
}
