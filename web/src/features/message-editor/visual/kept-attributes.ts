import { markers } from './elements.ts';

/** What the editor shows of the attributes that it only keeps. */
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
/** Attributes that the editor has fields for. */
export const edited: Record<string, readonly string[]> = {
  A: ['href', 'target', 'rel', 'class', 'title'],
  IMG: ['src', 'alt', 'title', 'width', 'height'],
  OL: ['start', 'type'],
};

/** The attributes that the editor only keeps, by name. Null: those of an element that was made in the editor. */
export type KeptAttributes = Record<string, string> | null;

const keptAttribute = 'data-kept';

/** Of an image whose address Liquid makes: there is nothing to load yet. */
export const heldSource = 'data-src';

export function readKept(element: Element): KeptAttributes {
  const own = element.getAttribute(keptAttribute);
  if (own !== null) return JSON.parse(own) as KeptAttributes;
  const others = [...element.attributes].filter(
    ({ name }) => name !== markers.code && !edited[element.tagName]?.includes(name),
  );
  return Object.fromEntries(others.map(({ name, value }) => [name, value]));
}

/** For the editor's own page: only what changes how it looks; handlers of events and the like are not set. */
export function showKept(kept: KeptAttributes): Record<string, string> {
  if (kept === null || Object.keys(kept).length === 0) return {};
  const visible = Object.entries(kept).filter(([name]) => shown.includes(name));
  return { ...Object.fromEntries(visible), [keptAttribute]: JSON.stringify(kept) };
}

/** As they were read, in the email that is written. */
export function restoreAttributes(element: Element): void {
  const source = element.getAttribute(heldSource);
  if (source !== null) element.setAttribute('src', source);
  element.removeAttribute(heldSource);
  const kept = readKept(element);
  if (!element.hasAttribute(keptAttribute)) return;
  element.removeAttribute(keptAttribute);
  // In their own order: those that are shown are there already.
  for (const name of Object.keys(kept ?? {})) element.removeAttribute(name);
  for (const [name, value] of Object.entries(kept ?? {})) element.setAttribute(name, value);
}
