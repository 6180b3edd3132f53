import { leastContacts } from '../core/contacts-in-time.ts';
import { isStatementTimeout } from './database-errors.ts';
import type { Em } from './orm.ts';
import { execute, withSettings } from './sql.ts';

/** Ten times what is usual: its contacts have far more data than those before. */
export const longestStatementMs = 20_000;

/**
 * Ends the statements of this transaction, on so many contacts, after a time. With the fewest, they may take longer. A wait
 * for a lock ends with an error of its own (`isLockTimeout`): it says nothing about the contacts.
 */
export async function limitStatements(em: Em, contacts: number, longestMs: number): Promise<void> {
  if (contacts <= leastContacts) return;
  const lockMs = Math.ceil(longestMs / 2);
  await execute(em, `set local statement_timeout = ${longestMs}; set local lock_timeout = ${lockMs}`);
}

/** Whether a transaction ended by its limit, so that it is to be repeated with fewer contacts. */
export const isTooMany = (error: unknown, contacts: number): boolean =>
  contacts > leastContacts && isStatementTimeout(error);

/** Runs `work` in a transaction of which the statement timeout ends each statement after `timeoutMs`. */
export const withinTime = <Result>(em: Em, timeoutMs: number, work: (own: Em) => Promise<Result>) =>
  withSettings(em, `set local statement_timeout = ${timeoutMs}`, work);
