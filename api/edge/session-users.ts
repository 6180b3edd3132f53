import type { Role } from '../../db/entities/membership.ts';
import type { Em } from '../../db/orm.ts';
import { hasSendLimitSql } from '../../db/repositories/billing/limits.ts';
import { sql } from '../../db/sql.ts';
import type { ApiProject, SessionUser } from './route.ts';
import type { Session } from './sessions.ts';

/** A signed-in user, and the project that the request names when the user is a member of it. */
export interface SignedIn {
  user: SessionUser;
  project: ApiProject | null;
}

/** Looks up who a session belongs to, on every request: a revoked session or membership ends at once. */
export interface SessionUsers {
  /** Undefined when the user is gone or the session was revoked. `project` is null for non-members. */
  find(session: Session, projectId: string | null): Promise<SignedIn | undefined>;
}

interface Row {
  id: string;
  role: Role | null;
  project_id: string | null;
  disabled: boolean;
  disabled_reason: string | null;
  suppress_transactional: boolean;
  has_send_limit: boolean;
}

export function createSessionUsers(em: Em): SessionUsers {
  return {
    find: async ({ userId, sessionVersion }, projectId) => {
      const [row] = await sql<Row>(
        em,
        `select u.id, m.role, p.id as project_id, p.disabled, p.disabled_reason, p.suppress_transactional,
            ${hasSendLimitSql('p.id')} as has_send_limit
           from users u
           left join memberships m on m.user_id = u.id and m.project_id = $3::uuid
           left join projects p on p.id = m.project_id
          where u.id = $1 and u.session_version = $2`,
        [userId, sessionVersion, projectId],
      );
      if (row === undefined) return undefined;
      const project: ApiProject | null =
        row.project_id === null
          ? null
          : {
              id: row.project_id,
              disabled: row.disabled,
              disabledReason: row.disabled_reason,
              suppressTransactional: row.suppress_transactional,
              hasSendLimit: row.has_send_limit,
            };
      return { user: { id: row.id, role: row.role }, project };
    },
  };
}
