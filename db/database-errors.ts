import { DriverException } from '@mikro-orm/core';
import pg from 'pg';
import { DomainError } from '../core/errors.ts';

type ServerError = Pick<pg.DatabaseError, 'constraint' | 'detail'> & { code: string };

function serverErrorOf(error: unknown): ServerError | undefined {
  const isServers =
    error instanceof pg.DatabaseError || (error instanceof DriverException && Reflect.has(error, 'severity'));
  // as: the wrapper copies the properties of the wrapped error; only server errors have a severity.
  return isServers && error.code !== undefined ? (error as ServerError) : undefined;
}

/**
 * Whether the server reported the failure, which proves that nothing was applied. A lost connection proves nothing: the
 * statement may have been committed.
 */
export function isRolledBack(error: unknown): boolean {
  const sqlStateClass = serverErrorOf(error)?.code.slice(0, 2);
  return sqlStateClass !== undefined && sqlStateClass !== '08' && sqlStateClass !== '57';
}

/**
 * Whether nothing of an item was applied, even where an immediate retry would not help: rolled back, canceled by the
 * statement timeout (57014), or rejected by a batcher.
 */
export function isNotApplied(error: unknown): boolean {
  return isStatementTimeout(error) || error instanceof DomainError || isRolledBack(error);
}

export function isLostRace(error: unknown): boolean {
  const code = serverErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/** Whether a statement waited longer for a lock than `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return serverErrorOf(error)?.code === '55P03';
}

/** Whether a statement would have started or woken too many executions (`matchLimitSql`). */
export function isOverMatchLimit(error: unknown): boolean {
  return brokenConstraint(error) === 'most_matches';
}

/** Whether a statement exceeded `statement_timeout` or was canceled. */
export function isStatementTimeout(error: unknown): boolean {
  return serverErrorOf(error)?.code === '57014';
}

export function brokenConstraint(error: unknown): string | undefined {
  return serverErrorOf(error)?.constraint;
}

const nameLimits = ['contact_fields_limit', 'event_names_limit'] as const;

export function limitReached(
  error: unknown,
): { limit: (typeof nameLimits)[number]; projectId: string } | undefined {
  const failure = serverErrorOf(error);
  const limit = nameLimits.find((name) => name === failure?.constraint);
  return limit && { limit, projectId: failure?.detail ?? '' };
}

/** Whether a retry with the same data would fail again: data exceptions, violated constraints, server limits. */
export function isDataFault(error: unknown): boolean {
  return ['22', '23', '54'].includes(serverErrorOf(error)?.code.slice(0, 2) ?? '');
}
