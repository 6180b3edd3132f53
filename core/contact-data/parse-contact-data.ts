import { cutField, type FieldIssue, maxReportedIssues } from '../errors.ts';
import {
  isPlainObject,
  isStorableText,
  type JsonObject,
  type JsonValue,
  jsonByteLength,
  unstorableText,
} from '../json-value.ts';

/** Bytes of JSON text of a contact's `data`; also the limit per request. */
export const maxContactDataBytes = 64 * 1024;
/** Levels of arrays and objects below a key of `data`. */
export const maxContactDataDepth = 32;
export const maxContactDataKeyLength = 255;

// A member is at least `"a":1,`.
const maxKeys = maxContactDataBytes / 6;

/** Keys of built-in fields and links; silently dropped from `data`. */
export const reservedDataKeys: ReadonlySet<string> = new Set([
  'id',
  'plunk_id',
  'plunk_email',
  'email',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
]);

export interface ContactData {
  set: JsonObject;
  remove: string[];
  /** Values for this send or event only; null hides a stored value. */
  transient: JsonObject;
  /** For the event record: every accepted key as sent, wrappers replaced by their value. */
  eventData: JsonObject;
}

export type ContactDataResult = { ok: true; data: ContactData } | { ok: false; issues: FieldIssue[] };

/**
 * Parses the `data` object of a request.
 *
 * Primitives, arrays and plain objects are stored; null deletes the key; an empty string changes nothing; `{
 * value, persistent: false }` is transient and `{ value, persistent: true }` means `value`. Reserved keys are
 * dropped, and `__proto__` is dropped at every level. The event record keeps null and empty strings as sent.
 * Reports every issue (at most 100): unstorable text `invalid_string`; too deep, too long or more than 64 KB
 * of JSON `too_big`; not JSON `invalid_type`.
 *
 * @param path prefix of the issues' `field`
 */
export function parseContactData(raw: unknown, path = 'data'): ContactDataResult {
  const issues: FieldIssue[] = [];
  if (!isPlainObject(raw)) {
    return { ok: false, issues: [{ field: path, message: 'Expected an object', code: 'invalid_type' }] };
  }
  const tooLarge = () => tooBig(path, `At most ${maxContactDataBytes} bytes of JSON are accepted`);
  if (Object.keys(raw).length > maxKeys) return { ok: false, issues: [tooLarge()] };
  const data: ContactData = { set: {}, remove: [], transient: {}, eventData: {} };
  for (const [key, sent] of Object.entries(raw)) {
    if (reservedDataKeys.has(key) || key === '__proto__') continue;
    if (issues.length >= maxReportedIssues) break;
    if (key.length > maxContactDataKeyLength) {
      issues.push(tooBig(path, `A key has at most ${maxContactDataKeyLength} characters`));
      continue;
    }
    const wrapper = asWrapper(sent);
    const value = cleanValue(wrapper ? wrapper.value : sent, `${path}.${key}`, 1, issues);
    if (!isStorableText(key)) issues.push(unstorable(`${path}.${key}`));
    data.eventData[key] = value;
    if (wrapper?.persistent === false) data.transient[key] = value;
    else if (value === null) data.remove.push(key);
    else if (value !== '') data.set[key] = value;
  }
  if (issues.length === 0 && jsonByteLength(data.eventData) > maxContactDataBytes) issues.push(tooLarge());
  return issues.length > 0 ? { ok: false, issues: issues.slice(0, maxReportedIssues) } : { ok: true, data };
}

function asWrapper(sent: unknown): { value: unknown; persistent: boolean } | undefined {
  if (!isPlainObject(sent) || Object.keys(sent).length !== 2 || !Object.hasOwn(sent, 'value'))
    return undefined;
  if (!Object.hasOwn(sent, 'persistent')) return undefined;
  const { value, persistent } = sent;
  return typeof persistent === 'boolean' ? { value, persistent } : undefined;
}

function cleanValue(value: unknown, path: string, depth: number, issues: FieldIssue[]): JsonValue {
  if (issues.length >= maxReportedIssues) return null;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (!isStorableText(value)) issues.push(unstorable(path));
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push(tooBig(path, 'The number is out of range'));
    return value;
  }
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) {
    issues.push({ field: path, message: 'Expected a JSON value', code: 'invalid_type' });
    return null;
  }
  if (depth > maxContactDataDepth) {
    issues.push(tooBig(path, `At most ${maxContactDataDepth} levels of nesting are accepted`));
    return null;
  }
  if (isArray) return value.map((item, index) => cleanValue(item, `${path}.${index}`, depth + 1, issues));
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') continue;
    const itemPath = `${path}.${cutField(key)}`;
    if (!isStorableText(key)) issues.push(unstorable(itemPath));
    copy[key] = cleanValue(item, itemPath, depth + 1, issues);
  }
  return copy;
}

function unstorable(field: string): FieldIssue {
  return { field, message: unstorableText, code: 'invalid_string' };
}

function tooBig(field: string, message: string): FieldIssue {
  return { field, message, code: 'too_big' };
}
