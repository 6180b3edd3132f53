import { isUtf8 } from 'node:buffer';
import { DomainError, type FieldIssue, validationFailed } from '../../core/errors.ts';
import { isStorableText, type JsonValue } from '../../core/json-value.ts';

/** Nesting limit, so that recursive code can't overflow its stack. */
export const maxJsonDepth = 100;
/** Limit on array items and object members; a body of commas could otherwise produce millions of issues. */
export const maxJsonValues = 500_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

// Shorter texts can't exceed the nesting limit and still be closed.
const shortestDeepJson = 2 * (maxJsonDepth + 1);

function invalidJson(message: string, cause?: unknown): DomainError {
  return new DomainError('INVALID_JSON', message, { cause });
}

/**
 * Parses a request body and drops `__proto__` keys at every level.
 *
 * @throws DomainError `INVALID_JSON` for malformed JSON or UTF-8, deep nesting or too many values;
 * `VALIDATION_ERROR` for strings that Postgres can't store (NUL, unpaired surrogates)
 */
export function parseJson(bytes: Buffer): JsonValue {
  if (!isUtf8(bytes)) throw invalidJson('The request body is not valid UTF-8');
  if (bytes.length >= shortestDeepJson) checkStructure(bytes);
  const text = bytes.toString('utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    throw invalidJson('The request body is not valid JSON', error);
  }
  // NUL and unpaired surrogates need a `\u` escape, and `__proto__` one or its plain name: most bodies skip this
  // walk.
  if (text.includes('\\u') || text.includes('__proto__')) {
    refuseUnstorable(value);
  }
  return value;
}

// No recursion; strings are skipped by native search.
function checkStructure(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) {
      index = endOfString(bytes, index + 1);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxJsonDepth) {
        throw invalidJson(`The request body is nested deeper than ${maxJsonDepth} levels`);
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    } else if (byte === comma) {
      values += 1;
      if (values > maxJsonValues) throw invalidJson(`The request body has more than ${maxJsonValues} values`);
    }
  }
}

function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start);
  while (end !== -1) {
    let first = end;
    while (first > start && bytes[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    end = bytes.indexOf(quote, end + 1);
  }
  return bytes.length;
}

/**
 * Drops `__proto__` keys in place.
 *
 * @throws DomainError `VALIDATION_ERROR` that names every string that Postgres can't store
 */
export function refuseUnstorable(root: unknown): void {
  const issues: FieldIssue[] = [];
  const refuse = (path: readonly string[]) =>
    issues.push({
      field: path.join('.'),
      message: 'Must not contain NUL or an unpaired surrogate',
      code: 'invalid_string',
    });
  const pending: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      if (!isStorableText(value)) refuse(path);
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const key of Object.keys(value)) {
      if (key === '__proto__') Reflect.deleteProperty(value, key);
      else if (!isStorableText(key)) refuse(path);
      else pending.push({ value: Reflect.get(value, key), path: [...path, key] });
    }
  }
  if (issues.length > 0) throw validationFailed(issues);
}
