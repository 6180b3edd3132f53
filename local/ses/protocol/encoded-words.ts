/**
 * Decodes the RFC 2047 encoded words of a header value, as a mail client does before it shows it. What is not a
 * well-formed encoded word stays as it is.
 */
export function decodeEncodedWords(value: string): string {
  if (!value.includes('=?')) return value;
  return value
    .replace(/(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi, '$1')
    .replace(
      /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi,
      (word: string, charset: string, form: string, data: string) => {
        const bytes = form.toLowerCase() === 'b' ? Buffer.from(data, 'base64') : quotedBytes(data);
        try {
          return new TextDecoder(charset).decode(bytes);
        } catch {
          return word;
        }
      },
    );
}

function quotedBytes(data: string): Buffer {
  const unescaped = data
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(unescaped, 'latin1');
}
