import { z } from 'zod';
import { DomainError, validationFailed } from '../../core/errors.ts';
import { toFieldIssues } from './field-issues.ts';

/** @throws DomainError `VALIDATION_ERROR` with every fault */
export function validate(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw validationFailed(toFieldIssues(parsed.error.issues, input));
}

/**
 * For the routes that answer a missing field by 400 `{ error }`: a required field of the first level that is absent,
 * null or empty is a `BAD_REQUEST`, which comes before every other fault. Wrong types, limits and forms stay a
 * `VALIDATION_ERROR`.
 */
export function validateWithLegacyErrors(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const missing = parsed.error.issues.filter(({ path: [field] }) => isMissing(schema, input, field));
  if (missing.length > 0) throw new DomainError('BAD_REQUEST', missing.map(describe).join('; '));
  throw validationFailed(toFieldIssues(parsed.error.issues, input));
}

/** Of a field that the schema refused; without a field, the body is no object. */
function isMissing(schema: z.ZodType, input: unknown, field: PropertyKey | undefined): boolean {
  if (field === undefined) return true;
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined;
  if (value === undefined) return true;
  return (value === null || value === '') && !isOptional(schema, field);
}

function isOptional(schema: z.ZodType, field: PropertyKey): boolean {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  return shape[String(field)]?.safeParse(undefined).success === true;
}

function describe({ path: [field] }: z.core.$ZodIssue): string {
  return field === undefined ? 'The request body must be a JSON object' : `${String(field)} is required`;
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
