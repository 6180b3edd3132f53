/** Removes what Postgres and JSON can't hold: NUL and lone surrogates. */
export function storableText(text: string, most: number): string {
  return text.slice(0, most).replaceAll('\0', '').toWellFormed();
}

export function storableLine(text: string, most: number): string {
  return storableText(text, most)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
