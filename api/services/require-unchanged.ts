import { DomainError } from '../../core/errors.ts';

/**
 * Refuses to overwrite a change that the caller has not seen. Must run under the record's lock.
 * @param seen the `updatedAt` that the caller last saw; without it nothing is checked
 * @throws DomainError `CONFLICT` with the record's `updatedAt` in `details`
 */
export function requireUnchanged({ updatedAt }: { updatedAt: Date }, seen: Date | undefined): void {
  if (seen === undefined || seen.getTime() === updatedAt.getTime()) return;
  throw new DomainError('CONFLICT', 'Someone else has changed this since you read it', {
    details: { updatedAt: updatedAt.toISOString() },
    suggestion: 'Fetch it again, reapply your change, and send the new updatedAt in If-Match.',
  });
}
