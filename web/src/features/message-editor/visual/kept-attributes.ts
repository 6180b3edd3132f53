import { markers } from './elements.ts';

/** Preserved attributes that the editor also applies, because they affect only the look. */
const shown = [
  ...[
    'style',
    'align',
    'valign',
    'dir',
    'width',
    'height',
    'bgcolor',
    'border',
    'cellpadding',
    'cellspacing',
  ],
  ...['colspan', 'rowspan', 'color', 'face', 'size', markers.bare],
];
/** Attributes that the editor can edit. */
export const edited: Record<string, readonly string[]> = {
  A: ['href', 'target', 'rel', 'class', 'title'],
  IMG: ['src', 'alt', 'title', 'width', 'height'],
  OL: ['start', 'type'],
};

/** Preserved attributes by name; null for an element created in the editor. */
export type KeptAttributes = Record<string, string> | null;

const keptAttribute = 'data-kept';

/** Replaces `src` of an image whose URL contains Liquid, so that nothing is loaded. */
export const heldSource = 'data-src';

export function readKept(element: Element): KeptAttributes {
  const own = element.getAttribute(keptAttribute);
  if (own !== null) return JSON.parse(own) as KeptAttributes;
  const others = [...element.attributes].filter(
    ({ name }) => name !== markers.code && !edited[element.tagName]?.includes(name),
  );
  return Object.fromEntries(others.map(({ name, value }) => [name, value]));
}

/** Attributes for the editor's page: only those that affect the look are set, never event handlers. */
export function showKept(kept: KeptAttributes): Record<string, string> {
  if (kept === null || Object.keys(kept).length === 0) return {};
  const visible = Object.entries(kept).filter(([name]) => shown.includes(name));
  return { ...Object.fromEntries(visible), [keptAttribute]: JSON.stringify(kept) };
}

/** Restores the preserved attributes on an element of the written email. */
export function restoreAttributes(element: Element): void {
  const source = element.getAttribute(heldSource);
  if (source !== null) element.setAttribute('src', source);
  element.removeAttribute(heldSource);
  const kept = readKept(element);
  if (!element.hasAttribute(keptAttribute)) return;
  element.removeAttribute(keptAttribute);
  // Removed first, because the shown ones are already set and the original order matters.
  for (const name of Object.keys(kept ?? {})) element.removeAttribute(name);
  for (const [name, value] of Object.entries(kept ?? {})) element.setAttribute(name, value);
}
