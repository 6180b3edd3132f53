import { z } from 'zod';
import { projectRoles } from '../../../core/project-roles.ts';
import type { Em } from '../../orm.ts';
import { query, queryFirst } from '../../sql.ts';

const hasSendLimitSql = (project: string) =>
  `exists (select from billing_limits l where l.project_id = ${project} and l.category = 'transactional')`;

const sessionRow = z.object({
  id: z.string(),
  role: z.enum(projectRoles).nullable(),
  projectId: z.string().nullable(),
  disabled: z.boolean().nullable(),
  disabledReason: z.string().nullable(),
  suppressTransactional: z.boolean().nullable(),
  hasSendLimit: z.boolean(),
  isUntouched: z.boolean(),
});

/**
 * The user, if the session version is current and the session has not ended, and the project if the user is a member.
 * `isUntouched` when the last recorded use of the session is over ten minutes old. A statement, because it runs on
 * every dashboard request: four tables in one round trip.
 */
export function findSessionUser(
  em: Em,
  session: { userId: string; sessionVersion: number; id?: string | undefined },
  projectId: string | null,
): Promise<z.output<typeof sessionRow> | undefined> {
  const sql = `select u.id, m.role, p.id as "projectId", p.disabled, p.disabled_reason as "disabledReason",
        p.suppress_transactional as "suppressTransactional",
        ${hasSendLimitSql('p.id')} as "hasSendLimit",
        coalesce(s.last_used_at < now() - interval '10 minutes', false) as "isUntouched"
       from users u
       left join sessions s on s.id = $4::uuid and s.user_id = u.id
       left join memberships m on m.user_id = u.id and m.project_id = $3::uuid
       left join projects p on p.id = m.project_id
      where u.id = $1 and u.session_version = $2
        and (s.id is not null or ($4::uuid is null and u.unlisted_sessions))`;
  const parameters = [session.userId, session.sessionVersion, projectId, session.id ?? null];
  return queryFirst(em, sessionRow, sql, parameters);
}

const projectRow = z.object({
  kind: z.enum(['public', 'secret']),
  hash: z.instanceof(Buffer),
  id: z.string(),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  suppressTransactional: z.boolean(),
  hasSendLimit: z.boolean(),
});

const columns = `id, disabled, disabled_reason as "disabledReason", suppress_transactional as "suppressTransactional",
  ${hasSendLimitSql('projects.id')} as "hasSendLimit"`;

// A statement, because one call looks up the keys of many requests, public and secret ones each through their own
// index.
export function findProjectsByKeys(
  em: Em,
  publicHashes: readonly Buffer[],
  secretHashes: readonly Buffer[],
): Promise<z.output<typeof projectRow>[]> {
  const sql = `select 'public' as kind, public_key_hash as hash, ${columns} from projects where public_key_hash = any($1::bytea[])
     union all
     select 'secret', secret_key_hash, ${columns} from projects where secret_key_hash = any($2::bytea[])`;
  return query(em, projectRow, sql, [publicHashes, secretHashes]);
}
