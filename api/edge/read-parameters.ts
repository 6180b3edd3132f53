import { validationFailed } from '../../core/errors.ts';
import type { EdgeMiddleware } from './context.ts';
import type { Route } from './route.ts';
import { validate } from './validate.ts';

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
