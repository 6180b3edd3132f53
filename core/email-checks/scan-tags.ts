import { tokenizeHtml } from '../html-tokens.ts';

export interface OpenTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  source: string;
}

export function scanTags(html: string, names: ReadonlySet<string>): OpenTag[] {
  const tags: OpenTag[] = [];
  let tag = { name: '', start: 0 };
  let attributes = new Map<string, string>();
  let attribute = '';
  let value = '';
  const close = (end: number) => {
    if (names.has(tag.name))
      tags.push({ name: tag.name, attributes, source: html.slice(tag.start, end + 1) });
  };
  tokenizeHtml(html, {
    onopentagname(start, end) {
      tag = { name: html.slice(start, end).toLowerCase(), start: start - 1 };
      attributes = new Map();
    },
    onattribname(start, end) {
      attribute = html.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      value += html.slice(start, end);
    },
    onattribentity(codePoint) {
      value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (!attributes.has(attribute)) attributes.set(attribute, value);
    },
    onopentagend: close,
    onselfclosingtag: close,
  });
  return tags;
}
