/** RFC 5322: characters of one header line. A character beyond U+FFFF counts as one, as in the schemas of requests. */
export const maxHeaderLength = 998;

const printableAscii = /^[\x20-\x7e]*$/;

const maxEncodedWordBytes = 45; // 60 characters of base64; with `=?UTF-8?B?` and `?=` 72 of the allowed 75.

/**
 * Makes rendered text safe as a header value: each run of control characters (line breaks, NUL) becomes one
 * space, lone surrogates become U+FFFD, the ends are trimmed and the length is truncated. Data can't start a
 * new header or make the send fail.
 */
export function sanitizeHeaderValue(value: string, maxLength = maxHeaderLength): string {
  const isClean = printableAscii.test(value);
  const line = (isClean ? value : value.replace(/\p{Cc}+/gu, ' ').toWellFormed()).trim();
  if (line.length <= maxLength) return line;
  const characters = [...line.slice(0, 2 * maxLength)];
  return characters.slice(0, maxLength).join('').trimEnd();
}

/**
 * Encodes unstructured text (a custom header, a display name) in printable ASCII: unchanged if it already is,
 * otherwise as RFC 2047 encoded words, each of whole characters. An id or address in brackets at the end stays readable,
 * as in `List-ID: Zoë's news <news.example.com>`.
 */
export function encodeHeaderText(value: string): string {
  if (printableAscii.test(value) && !value.includes('=?')) return value.trim();
  const text = sanitizeHeaderValue(value, Number.POSITIVE_INFINITY);
  if (printableAscii.test(text) && !text.includes('=?')) return text;
  const end = text.lastIndexOf(' <');
  const isBracketed = end > 0 && /^ <[\x21-\x7e]+>$/.test(text.slice(end)) && !text.includes('=?', end);
  return isBracketed ? encodeWords(text.slice(0, end)) + text.slice(end) : encodeWords(text);
}

export function encodeWords(text: string): string {
  const words: string[] = [];
  let chunk = '';
  let chunkBytes = 0;
  for (const character of text.toWellFormed()) {
    const bytes = Buffer.byteLength(character);
    if (chunkBytes + bytes > maxEncodedWordBytes) {
      words.push(chunk);
      chunk = '';
      chunkBytes = 0;
    }
    chunk += character;
    chunkBytes += bytes;
  }
  if (chunk !== '') words.push(chunk);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
