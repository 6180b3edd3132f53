import type { z } from 'zod';
import { DomainError, validationFailed } from '../../core/errors.ts';
import { toFieldIssues } from './field-issues.ts';

type Issue = z.core.$ZodIssue;

/** @throws DomainError `VALIDATION_ERROR` with every fault */
export function validate(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw validationFailed(toFieldIssues(parsed.error.issues, input));
}

/**
 * For the routes that answer a missing field by 400 `{ error }`: a field of the first level that is absent, empty
 * or of the wrong type is a `BAD_REQUEST`; limits and forms stay a `VALIDATION_ERROR`.
 */
export function validateWithLegacyErrors(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const missing = parsed.error.issues.filter((issue) => isMissing(issue, input));
  if (missing.length > 0) throw new DomainError('BAD_REQUEST', missing.map(describe(input)).join('; '));
  throw validationFailed(toFieldIssues(parsed.error.issues, input));
}

function valueAt(input: unknown, field: PropertyKey): unknown {
  return typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined;
}

function isMissing(issue: Issue, input: unknown): boolean {
  const [field, ...deeper] = issue.path;
  if (field === undefined) return true;
  const value = valueAt(input, field);
  return deeper.length === 0 && (issue.code === 'invalid_type' || value === undefined || value === '');
}

function describe(input: unknown) {
  return (issue: Issue): string => {
    const [field] = issue.path;
    if (field === undefined) return 'The request body must be a JSON object';
    const value = valueAt(input, field);
    const isAbsent = value === undefined || value === null || value === '';
    return isAbsent ? `${String(field)} is required` : `${String(field)}: ${issue.message}`;
  };
}

/** The values of a query string, lists where a name is repeated. */
export function parseQuery(url: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null);
  const start = url.indexOf('?');
  if (start === -1) return values;
  return parsePairs(url.slice(start + 1), values);
}

/** `a=1&b=2` as an object without a prototype. @throws DomainError `VALIDATION_ERROR` when a value holds NUL */
export function parsePairs(
  text: string,
  values: Record<string, string | string[]> = Object.create(null),
): Record<string, string | string[]> {
  for (const [name, value] of new URLSearchParams(text)) {
    // Postgres can't store it, so no stored value can match it either.
    if (value.includes('\0') || name.includes('\0')) {
      throw validationFailed([{ field: name, message: 'Must not contain NUL', code: 'invalid_string' }]);
    }
    const before = values[name];
    if (before === undefined) values[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else values[name] = [before, value];
  }
  return values;
}
