import { z } from 'zod';
import { DomainError, validationFailed } from '../../core/errors.ts';
import { toFieldIssues } from '../../core/field-issues.ts';
import { issueWords } from '../../core/issue-words.ts';
import type { EdgeMiddleware } from './context.ts';
import type { Route } from './route.ts';

/**
 * Validates path, query and headers, in this order.
 *
 * @throws DomainError `VALIDATION_ERROR`
 */
export function readParameters({ params, query, headers }: Route): EdgeMiddleware {
  return (ctx, next) => {
    if (params !== undefined) ctx.state.params = validate(params, storable(ctx.params));
    if (query !== undefined) ctx.state.query = validate(query, storable(ctx.query));
    if (headers !== undefined) ctx.state.headers = validate(headers, ctx.headers);
    return next();
  };
}

/** Validates the body that `readBody` read and stores it in `ctx.state.body`. @throws DomainError as `validate` */
export function validateBody(schema: z.ZodType, legacyErrors?: boolean): EdgeMiddleware {
  return (ctx, next) => {
    ctx.state.body = validate(schema, ctx.request.body, legacyErrors);
    return next();
  };
}

/**
 * @param legacyErrors a required top-level field that is absent, null or empty is `BAD_REQUEST`, before any other issue
 * @throws DomainError `VALIDATION_ERROR` that lists the issues, at most 100
 */
export function validate(schema: z.ZodType, input: unknown, legacyErrors = false): unknown {
  const parsed = schema.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const missing = legacyErrors ? issues.filter(({ path }) => isMissing(schema, input, path[0])) : [];
  if (missing.length > 0) throw new DomainError('BAD_REQUEST', missing.map(describe).join('; '));
  throw validationFailed(toFieldIssues(issues, input));
}

// No field: the body is not an object.
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

// Postgres can't store or compare text with NUL.
function storable<Values extends Readonly<Record<string, string | string[] | undefined>>>(
  values: Values,
): Values {
  for (const [field, value] of Object.entries(values)) {
    if (field.includes('\0') || [value].flat().some((each) => each?.includes('\0'))) {
      throw validationFailed([{ field, message: 'Must not contain NUL', code: 'invalid_string' }]);
    }
  }
  return values;
}
