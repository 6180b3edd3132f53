import { tokenizeHtml } from '../html-tokens.ts';

const blockTags = new Set(
  'address article blockquote br div footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);

/**
 * Extracts the text of an HTML fragment: drops tags, starts new lines at blocks and line breaks, decodes entities,
 * writes links as `text [address]`. Rougher than `htmlToText`, but linear for any input.
 */
export function stripMarkup(html: string): string {
  let text = '';
  let isHidden = false;
  let link: { href: string; label: string } | undefined;
  let attribute: string | undefined;
  const add = (part: string) => {
    text += part;
    if (link) link.label += part;
  };
  const addHref = (part: string) => {
    if (link && attribute === 'href') link.href += part;
  };
  const endLink = () => {
    const address = link && addressBehind(link.label.trim(), link.href);
    if (address !== undefined) text += `${link?.label ? ' ' : ''}[${address}]`;
    link = undefined;
  };
  const onTag = (opens: boolean) => (start: number, end: number) => {
    const name = html.slice(start, end).toLowerCase();
    if (name === 'a') {
      endLink();
      if (opens) link = { href: '', label: '' };
    }
    attribute = name === 'a' ? '' : undefined;
    if (blockTags.has(name)) add('\n');
    if (name === 'script' || name === 'style') isHidden = opens;
  };
  tokenizeHtml(html, {
    onopentagname: onTag(true),
    onclosetag: onTag(false),
    onattribname(start, end) {
      if (attribute !== undefined) attribute = html.slice(start, end).toLowerCase();
    },
    onattribdata: (start, end) => addHref(html.slice(start, end)),
    onattribentity: (code) => addHref(String.fromCodePoint(code)),
    ontext(start, end) {
      if (!isHidden) add(html.slice(start, end));
    },
    ontextentity(code, end) {
      const entity = html.slice(html.lastIndexOf('&', end - 1), end);
      // As in an attribute, because the text may be an address: `&region=` is no `&reg;`.
      const isParameter = /^&\w+$/.test(entity) && /[a-z0-9=]/i.test(html.charAt(end));
      // The decoder returns U+FFFD for a number that is not a character.
      add(isParameter || code === 0xfffd ? entity : String.fromCodePoint(code));
    },
    onend: endLink,
  });
  return text;
}

/** What the plain text shows behind a link's label; undefined when the label says it, or for no address to go to. */
export function addressBehind(label: string, href: string): string | undefined {
  const target = href.trim();
  if (target === '' || target.startsWith('#') || /^(?:javascript|data|cid):/i.test(target)) return undefined;
  const address = target.replace(/^(?:mailto|tel):([^?]*)$/i, '$1');
  const isShown = label === address || label === address.replace(/^https?:\/\//, '');
  return isShown ? undefined : address;
}
