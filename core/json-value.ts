export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined for text that is not JSON */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Bytes of UTF-8 JSON text: the unit of every size limit on `data`. Numbers with an exponent count as Postgres writes them:
 * `1e300` has 301 digits.
 */
export function jsonByteLength(value: JsonValue): number {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (!exponent.test(text)) return bytes;
  // Exponents within strings are not numbers.
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/e[+-](\d+)/g);
  return numbers.reduce((sum, [, zeros]) => sum + Number(zeros), bytes);
}

const exponent = /\de[+-]\d/;

/**
 * Whether Postgres `jsonb` and `text` can store a string: no NUL, no lone surrogates. Both are valid in JSON
 * as `\u0000` or `\ud800`, and both make the statement fail.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Message of a validation error for text that `isStorableText` rejects. */
export const unstorableText = 'Text must not contain NUL characters or lone surrogates';

const maxJsonDepth = 100;

/**
 * Whether Postgres `jsonb` can store all keys and strings of a value, and no level is so deep that recursive code
 * overflows its stack.
 */
export function isStorableJson(root: JsonValue): boolean {
  const pending: { value: JsonValue; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !isStorableText(value)) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === maxJsonDepth || !Object.keys(value).every(isStorableText)) return false;
    for (const item of Object.values(value)) pending.push({ value: item, depth: depth + 1 });
  }
  return true;
}
