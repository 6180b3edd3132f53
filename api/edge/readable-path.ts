import { DomainError } from '../../core/errors.ts';
import { answerErrors, pageForBrowsers } from './answer-errors.ts';
import type { EdgeMiddleware } from './context.ts';
import type { ErrorPage } from './route.ts';

/**
 * Limit in characters. The longest legitimate segments are event names and keys of `data`: at most 255 UTF-16 units,
 * each up to nine characters when percent-encoded.
 */
const maxSegmentLength = 2_560;

/** Refuses paths that no route reads. @param page for browsers, whose user may have opened a link that was cut */
export function readablePath(page: ErrorPage): EdgeMiddleware {
  const refuse = answerErrors(pageForBrowsers(page));
  return (ctx, next) => {
    const fault = faultOf(ctx.path);
    return fault === undefined ? next() : refuse(ctx, () => Promise.reject(fault));
  };
}

function faultOf(path: string): DomainError | undefined {
  if (path.includes('%') && !isDecodable(path))
    return new DomainError('BAD_REQUEST', 'The path is not valid percent-encoding');
  if (path.length > maxSegmentLength && path.split('/').some(({ length }) => length > maxSegmentLength))
    return new DomainError('NOT_FOUND', 'No such endpoint');
  return undefined;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
