import { DomainError } from '../../core/errors.ts';
import type { EdgeMiddleware } from './context.ts';

/**
 * Limit in characters. The longest legitimate segments are event names and keys of `data`: at most 255 UTF-16 units,
 * each up to nine characters when percent-encoded.
 */
const maxSegmentLength = 2_560;

export function readablePath(): EdgeMiddleware {
  return (ctx, next) => {
    const { path } = ctx;
    if (path.includes('%') && !isDecodable(path)) {
      throw new DomainError('BAD_REQUEST', 'The path is not valid percent-encoding');
    }
    if (path.length > maxSegmentLength && path.split('/').some(({ length }) => length > maxSegmentLength)) {
      throw new DomainError('NOT_FOUND', 'No such endpoint');
    }
    return next();
  };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
