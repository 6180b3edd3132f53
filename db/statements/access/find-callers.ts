import { z } from 'zod';
import { projectRoles } from '../../../core/project-roles.ts';
import type { Em } from '../../orm.ts';
import { query, queryFirst } from '../../sql.ts';

const projectRow = z.object({
  id: z.string(),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  suppressTransactional: z.boolean(),
  hasSendLimit: z.boolean(),
});

export type ApiProject = z.output<typeof projectRow>;

/** SQL of each of its fields, of `projects p`. */
const fieldsSql: Readonly<Record<keyof ApiProject, string>> = {
  id: 'p.id',
  disabled: 'p.disabled',
  disabledReason: 'p.disabled_reason',
  suppressTransactional: 'p.suppress_transactional',
  hasSendLimit: `exists (
    select from billing_limits l where l.project_id = p.id and l.category = 'transactional')`,
};

const sessionRow = z.object({
  id: z.string(),
  role: z.enum(projectRoles).nullable(),
  project: projectRow.nullable(),
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
) {
  const fields = Object.entries(fieldsSql).map(([name, sql]) => `'${name}', ${sql}`);
  const sql = `select u.id, m.role,
        case when p.id is not null then json_build_object(${fields.join(', ')}) end as project,
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

const keyedRow = projectRow.extend({ kind: z.enum(['public', 'secret']), hash: z.instanceof(Buffer) });

// A statement, because one call looks up the keys of many requests, public and secret ones each through their own
// index.
export function findProjectsByKeys(em: Em, publicHashes: readonly Buffer[], secretHashes: readonly Buffer[]) {
  const columns = Object.entries(fieldsSql).map(([name, sql]) => `${sql} as "${name}"`);
  const select = (kind: string, hashes: string) =>
    `select '${kind}' as kind, ${kind}_key_hash as hash, ${columns.join(', ')}
     from projects p where ${kind}_key_hash = any(${hashes}::bytea[])`;
  const sql = `${select('public', '$1')} union all ${select('secret', '$2')}`;
  return query(em, keyedRow, sql, [publicHashes, secretHashes]);
}
