import { isUtf8 } from 'node:buffer';
import {
  cutField,
  DomainError,
  type FieldIssue,
  maxReportedIssues,
  validationFailed,
} from '../../core/errors.ts';
import { isStorableText, type JsonValue } from '../../core/json-value.ts';

/** Nesting limit, so that recursive code can't overflow its stack. */
export const maxJsonDepth = 100;
/**
 * Limit on commas, arrays and objects together: bounds the time to parse and validate a body. The most that `/v1/send`
 * accepts are 44,000 in 64 KB of `data` (`[],[],…`) and 3,000 in 1,000 recipients.
 */
export const maxJsonValues = 50_000;

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
  // NUL and unpaired surrogates need a `\u` escape, and `__proto__` one or its plain name: most bodies skip this walk.
  if (text.includes('\\u') || text.includes('__proto__')) refuseUnstorable(value);
  return value;
}

// No recursion; strings without escapes are skipped by native search.
function checkStructure(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  const count = () => {
    values += 1;
    if (values > maxJsonValues) throw invalidJson(`The request body has more than ${maxJsonValues} values`);
  };
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) {
      index = endOfString(bytes, index + 1);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxJsonDepth) {
        throw invalidJson(`The request body is nested deeper than ${maxJsonDepth} levels`);
      }
      count();
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    } else if (byte === comma) {
      count();
    }
  }
}

function endOfString(bytes: Buffer, start: number): number {
  const first = bytes.indexOf(quote, start);
  if (first === -1) return bytes.length;
  if (bytes[first - 1] !== backslash) return first;
  let index = start;
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
  return index;
}

/**
 * Drops `__proto__` keys in place.
 *
 * @param root nested no deeper than `maxJsonDepth`
 * @throws DomainError `VALIDATION_ERROR` that names the first 100 strings that Postgres can't store
 */
export function refuseUnstorable(root: unknown): void {
  const issues: FieldIssue[] = [];
  const path: string[] = [];
  const refuse = () =>
    issues.push({
      field: path.map(cutField).join('.'),
      message: 'Must not contain NUL or an unpaired surrogate',
      code: 'invalid_string',
    });
  const check = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!isStorableText(value)) refuse();
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      if (issues.length >= maxReportedIssues) return;
      if (key === '__proto__') Reflect.deleteProperty(value, key);
      else if (!isStorableText(key)) refuse();
      else {
        path.push(key);
        check(Reflect.get(value, key));
        path.pop();
      }
    }
  };
  check(root);
  if (issues.length > 0) throw validationFailed(issues);
}
