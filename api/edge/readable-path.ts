import { DomainError } from '../../core/errors.ts';
import type { EdgeMiddleware } from './context.ts';

/**
 * Characters. The longest legitimate segments are event names and keys of `data`, at most 255 UTF-16 units that each take
 * up to nine characters of percent-encoding.
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
