import pg from 'pg';
import { DomainError } from '../../core/errors.ts';

/**
 * Whether the server itself said that the statement failed, so that nothing of it was applied. A lost connection
 * says nothing of the kind: the statement may have been committed.
 */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  const sqlStateClass = error.code.slice(0, 2);
  return sqlStateClass !== '08' && sqlStateClass !== '57';
}

/**
 * Whether nothing of an item was applied, though it would not help to run it again at once: beside what was rolled back,
 * a statement that was ended because it took too long (57014), and an item that a batcher did not take.
 */
export function isNotApplied(error: unknown): boolean {
  const isCancelled = error instanceof pg.DatabaseError && error.code === '57014';
  return isCancelled || error instanceof DomainError || isRolledBack(error);
}

/** The constraint that a statement broke, when that is why it failed. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

const nameLimits = ['contact_fields_limit', 'event_names_limit'] as const;

/** The limit of names that a project would have exceeded, when that is why a statement failed. */
export function limitReached(
  error: unknown,
): { limit: (typeof nameLimits)[number]; projectId: string } | undefined {
  const limit = nameLimits.find((name) => name === brokenConstraint(error));
  if (limit === undefined || !(error instanceof pg.DatabaseError)) return undefined;
  return { limit, projectId: error.detail ?? '' };
}

/**
 * Whether a statement failed because of the data it was given, and would fail with it again: data exceptions, broken
 * constraints, limits of the server.
 */
export function isDataFault(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return false;
  return ['22', '23', '54'].includes(error.code.slice(0, 2));
}
