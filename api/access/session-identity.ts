import { raw } from '@mikro-orm/core';
import { UserSession } from '../../db/entities/user.ts';
import type { Em } from '../../db/orm.ts';
import { findSessionUser } from '../../db/statements/access/find-callers.ts';
import type { Identity } from './identity.ts';
import type { Session } from './session-tokens.ts';

/**
 * Who is signed in. Read on every request, so that revoking a session or membership takes effect at once.
 *
 * @returns undefined when the user is gone or the session was revoked; `project` is null for non-members
 */
export async function findSessionIdentity(
  em: Em,
  session: Session,
  projectId: string | null,
): Promise<Identity | undefined> {
  const row = await findSessionUser(em, session, projectId);
  if (row === undefined) return undefined;
  if (row.isUntouched && session.id !== undefined) {
    // The condition on `lastUsedAt` lets only one of several concurrent calls write.
    const untouched = { id: session.id, lastUsedAt: { $lt: raw("now() - interval '10 minutes'") } };
    await em.nativeUpdate(UserSession, untouched, { lastUsedAt: raw('now()') });
  }
  return { user: { id: row.id, role: row.role }, project: row.project };
}
