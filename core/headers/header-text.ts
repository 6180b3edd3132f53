/** RFC 5322: characters of one header line. */
export const maxHeaderLength = 998;

const maxEncodedWordBytes = 45; // 60 characters of base64; with `=?UTF-8?B?` and `?=` 72 of the allowed 75.

/**
 * Makes rendered text safe as the value of a header: line breaks, NUL and every other control character
 * become one space each run, half surrogates become U+FFFD, the ends are trimmed and the length is cut.
 * Nothing that data brings in can start a new header or make the send fail.
 */
export function sanitizeHeaderValue(value: string, maxLength = maxHeaderLength): string {
  const line = value
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line.length <= maxLength) return line;
  // Never cut a surrogate pair in two.
  const isPair = line.slice(maxLength - 1, maxLength + 1).isWellFormed();
  const end = isPair && (line.codePointAt(maxLength - 1) ?? 0) > 0xffff ? maxLength - 1 : maxLength;
  return line.slice(0, end).trimEnd();
}

/**
 * Writes unstructured text (a custom header, a display name) in printable ASCII: as it is when it already is,
 * else as RFC 2047 encoded words separated by spaces, each of whole characters.
 */
export function encodeHeaderText(value: string): string {
  const text = sanitizeHeaderValue(value, Number.POSITIVE_INFINITY);
  return /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') ? text : encodeWords(text);
}

/** RFC 2047 encoded words of base64, whatever the text holds. */
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
