/**
 * Text of a stranger as Postgres and JSON can hold it: no NUL, no half of a surrogate pair.
 *
 * @param most characters that are kept
 */
export function storableText(text: string, most: number): string {
  return text.slice(0, most).replaceAll('\0', '').toWellFormed();
}

/** As `storableText`, for what stands in one line: control characters become spaces, and the ends are trimmed. */
export function storableLine(text: string, most: number): string {
  return storableText(text, most)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
