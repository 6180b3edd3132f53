/** What JSON can say, and so what `data` columns hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** Length in bytes of the UTF-8 JSON text of a value: the measure of every size limit on `data`. */
export function jsonByteLength(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Whether Postgres `jsonb` and `text` can hold a string: no NUL and no half of a surrogate pair. Both arrive
 * in valid JSON as `\u0000` or `\ud800`, and both make the statement fail.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
