import { DomainError } from '../../core/errors.ts';
import type { EdgeContext } from './context.ts';
import type { BodyFormat } from './route.ts';

const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';
const otherCharset = /;\s*charset=(?!"?(?:utf-?8|us-ascii)"?\s*(?:;|$))/i;

/**
 * Checks the content type and sets a missing one. A `text` route takes any type, and its header becomes `text/plain`.
 *
 * @throws DomainError `BAD_REQUEST` when the type or charset does not fit the route
 */
export function checkContentType(ctx: EdgeContext, format: BodyFormat): void {
  const { headers } = ctx.req;
  const header = headers['content-type']?.trim();
  const name = format === 'json' ? jsonType : formType;
  if (format === 'text') headers['content-type'] = 'text/plain';
  // Fast path for almost every caller.
  else if (header === jsonType && format === 'json') return;
  else if (!header) headers['content-type'] = name;
  else if (otherCharset.test(header)) {
    throw new DomainError('BAD_REQUEST', 'The request body must be encoded as UTF-8');
  } else if (!ctx.is(name, ...(format === 'json' ? ['application/*+json'] : []))) {
    throw new DomainError('BAD_REQUEST', `The Content-Type of the request body must be ${name}`, {
      suggestion: `Send the header Content-Type: ${name}.`,
    });
  }
}
