const blockTags = new Set([
  'address',
  'article',
  'blockquote',
  'br',
  'div',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  'section',
  'table',
  'tr',
  'ul',
]);

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  bull: '•',
  copy: '©',
  euro: '€',
  gt: '>',
  hellip: '…',
  laquo: '«',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  middot: '·',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rdquo: '”',
  reg: '®',
  rsquo: '’',
  trade: '™',
};

const containers = [
  { open: /^<!--/, close: /-->/g },
  { open: /^<script/i, close: /<\/script[^>]{0,20}>/gi },
  { open: /^<style/i, close: /<\/style[^>]{0,20}>/gi },
  { open: /^<[/!?]?[a-z]/i, close: />/g },
];

/**
 * The text of an HTML fragment in one pass over it, whatever it holds: tags are left out, blocks and line
 * breaks start a new line, entities are decoded. Rougher than `htmlToText`, and never slow.
 */
export function stripMarkup(html: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', at)) {
    parts.push(html.slice(at, open));
    const start = /[a-z/!?]/i.test(html.charAt(open + 1)) ? html.slice(open, open + 16) : '';
    const container = start === '' ? undefined : containers.find((each) => each.open.test(start));
    if (!container) {
      parts.push('<');
      at = open + 1;
      continue;
    }
    const name = /^<\/?([a-z0-9]+)/i.exec(start)?.[1];
    if (name !== undefined && blockTags.has(name.toLowerCase())) parts.push('\n');
    container.close.lastIndex = open;
    // What is never closed hides the rest, as in a browser.
    at = container.close.test(html) ? container.close.lastIndex : html.length;
  }
  parts.push(html.slice(at));
  return decodeEntities(parts.join(''));
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (entity, decimal, hexadecimal, named) => {
      if (named !== undefined) return entities[String(named).toLowerCase()] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : entity;
    },
  );
}
