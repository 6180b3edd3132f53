import { elementsOf, isSupported, markers } from './elements.ts';
import { holdCode } from './liquid.ts';
import { parseContent } from './parse-content.ts';

const markerNames = new RegExp(
  `[\\uE000-\\uE002]|\\b(${Object.values(markers).join('|')}|data-kept|data-src)\\b`,
);

/** @returns the parts that the visual editor can't show, worded to follow "it has"; empty if it can show everything */
export function unsupportedParts(content: string): string[] {
  if (/<(html|head|body)\b|<!doctype/i.test(content)) return ['a document without a body'];
  if (markerNames.test(content)) return ['marks that the visual editor uses itself'];
  const elements = elementsOf(parseContent(content));
  const names = elements.flatMap(({ attributes }) => [...attributes].map(({ name }) => name));
  if (!names.every((name) => /^[a-z][\w:.-]*$/i.test(name))) return ['Liquid within a tag'];
  const tags = elements.filter((element) => !isSupported(element)).map(tagOf);
  if (/\{[{%]/.test(content)) tags.push(...unbalancedTags(content, elements));
  return [...new Set(tags)];
}

const tagOf = ({ tagName }: Element): string => `<${tagName.toLowerCase()}>`;

/** Elements without an end tag. */
const voidTags = new Set(['BR', 'HR', 'IMG']);

/**
 * Tags that the parser had to add or drop, although Liquid may open or close them in the rendered email. Only a branch
 * makes an end tag that HTML lets one leave out (`<p>`, `<li>`) suspicious.
 */
function unbalancedTags(content: string, elements: readonly Element[]): string[] {
  const source = holdCode(content, []);
  const hasBranches = content.includes('{%');
  const count = (pattern: string) => source.match(new RegExp(pattern, 'gi'))?.length ?? 0;
  const found = elements.filter(
    (element) => !element.hasAttribute(markers.code) && !element.hasAttribute(markers.bare),
  );
  const endTags = [...source.matchAll(/<\/([a-z][a-z0-9]*)/gi)].map(([, tag = '']) => tag.toUpperCase());
  return [...new Set([...found.map(({ tagName }) => tagName), ...endTags])].flatMap((tag) => {
    if (voidTags.has(tag)) return [];
    const opened = count(`<${tag}(?=[\\s/>])`);
    const closed = count(`</${tag}\\s*>`);
    const inEmail = found.filter(({ tagName }) => tagName === tag).length;
    const isBalanced = hasBranches
      ? opened === closed && (tag === 'TBODY' || opened === inEmail)
      : opened >= closed;
    return isBalanced ? [] : [`a <${tag.toLowerCase()}> whose start or end depends on Liquid`];
  });
}
