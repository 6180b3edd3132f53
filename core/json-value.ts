export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** @returns undefined for text that is not JSON */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes of UTF-8 JSON text: the unit of every size limit on `data`. */
export function jsonByteLength(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Whether Postgres `jsonb` and `text` can store a string: no NUL, no lone surrogates. Both are valid in JSON
 * as `\u0000` or `\ud800`, and both make the statement fail.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
