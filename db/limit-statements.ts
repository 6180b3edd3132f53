import { leastContacts } from '../core/contacts-in-time.ts';
import { isStatementTimeout } from './database-errors.ts';
import type { Em } from './orm.ts';
import { execute, withSettings } from './sql.ts';

/** Ten times the usual duration: the contacts of a longer statement have far more data than those before. */
export const longestStatementMs = 20_000;

/**
 * Ends the statements of this transaction after a time, unless they are on the smallest number of contacts. A wait for a lock
 * ends with an error of its own (`isLockTimeout`): it says nothing about the contacts.
 */
export async function limitStatements(em: Em, contacts: number, longestMs: number): Promise<void> {
  if (contacts <= leastContacts) return;
  const lockMs = Math.ceil(longestMs / 2);
  await execute(em, `set local statement_timeout = ${longestMs}; set local lock_timeout = ${lockMs}`);
}

/** Whether the limit has ended a transaction, which is then repeated with fewer contacts. */
export const isTooMany = (error: unknown, contacts: number): boolean =>
  contacts > leastContacts && isStatementTimeout(error);

/** Runs `work` in a transaction whose statements end after `timeoutMs`. */
export const withinTime = <Result>(em: Em, timeoutMs: number, work: (own: Em) => Promise<Result>) =>
  withSettings(em, `set local statement_timeout = ${timeoutMs}`, work);
