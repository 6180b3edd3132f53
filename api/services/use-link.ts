import { DomainError } from '../../core/errors.ts';
import { AccountToken, type AccountTokenPurpose } from '../../db/entities/account-token.ts';
import { User } from '../../db/entities/user.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em } from '../../db/orm.ts';

function badToken(): DomainError {
  return new DomainError('BAD_REQUEST', 'This link is no longer valid', {
    suggestion: 'Request a new one.',
  });
}

/** @throws DomainError `BAD_REQUEST` when the link is invalid, expired or used */
export async function requireLinkUser(
  em: Em,
  purpose: AccountTokenPurpose,
  tokenHash: Buffer,
): Promise<User> {
  const token = await em.findOne(AccountToken, { tokenHash, purpose }, { populate: ['user'], refresh: true });
  if (token === null || token.isExpired()) throw badToken();
  return token.user;
}

/**
 * Call it in a transaction. Consumes the link and all the user's other links of this purpose, and returns the user,
 * locked.
 * @throws DomainError `BAD_REQUEST`, also for all but one of concurrent calls
 */
export async function useLink(em: Em, purpose: AccountTokenPurpose, tokenHash: Buffer): Promise<User> {
  const { id } = await requireLinkUser(em, purpose, tokenHash);
  const user = await lockRecord(em, User, { id });
  if (user === null) throw badToken();
  // Checked again: every caller that consumes one of the user's tokens holds this lock.
  await requireLinkUser(em, purpose, tokenHash);
  await em.nativeDelete(AccountToken, { user, purpose });
  return user;
}
