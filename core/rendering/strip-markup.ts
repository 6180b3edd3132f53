import { tokenizeHtml } from '../html-tokens.ts';

const blockTags = new Set(
  'address article blockquote br div footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);

/**
 * Extracts the text of an HTML fragment: drops tags, starts new lines at blocks and line breaks, decodes entities.
 * Rougher than `htmlToText`, but linear for any input.
 */
export function stripMarkup(html: string): string {
  let text = '';
  let isHidden = false;
  const onTag = (opens: boolean) => (start: number, end: number) => {
    const name = html.slice(start, end).toLowerCase();
    if (blockTags.has(name)) text += '\n';
    if (name === 'script' || name === 'style') isHidden = opens;
  };
  tokenizeHtml(html, {
    onopentagname: onTag(true),
    onclosetag: onTag(false),
    ontext(start, end) {
      if (!isHidden) text += html.slice(start, end);
    },
    ontextentity(code, end) {
      const entity = html.slice(html.lastIndexOf('&', end - 1), end);
      // As in an attribute, because the text may be an address: `&region=` is no `&reg;`.
      const isParameter = /^&\w+$/.test(entity) && /[a-z0-9=]/i.test(html.charAt(end));
      // The decoder returns U+FFFD for a number that is not a character.
      text += isParameter || code === 0xfffd ? entity : String.fromCodePoint(code);
    },
  });
  return text;
}
