import { z } from 'zod';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { columnsOf, execute, queryColumn, queryFirst } from '../../sql.ts';

export interface KeyClaim {
  /** The id of the user for a request outside of projects. */
  projectId: string;
  key: string;
  request: string;
  /** Identifies this request among all that ever held the key. */
  token: string;
}

export interface SettledClaim extends KeyClaim {
  statusCode: number;
  createdId: string | null;
}

/**
 * Claims keys for many requests in one statement. Keys must be distinct; expired ones count as free. Locks rows in key
 * order to avoid deadlocks.
 *
 * @returns for each claim, whether it now holds its key
 */
export async function claimKeys(em: Em, claims: readonly KeyClaim[], ttlHours: number): Promise<boolean[]> {
  const sql = `insert into idempotency_keys as held (project_id, key, request, token, status_code, created_at, expires_at)
     select project_id, key, request, token, null, now(), now() + $5 * interval '1 hour'
       from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) as claim (project_id, key, request, token)
      order by project_id, key
     on conflict (project_id, key) do update
       set request = excluded.request, token = excluded.token, status_code = null, created_id = null,
           created_at = excluded.created_at, expires_at = excluded.expires_at
       where held.expires_at <= now()
     returning token`;
  const columns = columnsOf(claims, 'projectId', 'key', 'request', 'token');
  const tokens = await queryColumn(em, z.string(), sql, [...columns, ttlHours]);
  const claimed = new Set(tokens);
  return claims.map((claim) => claimed.has(claim.token));
}

const holderRow = z.object({
  request: z.string(),
  createdAt: z.date(),
  /** Null while the request is running. */
  statusCode: z.int().nullable(),
  createdId: z.uuid().nullable(),
});

/** The request that holds a key; undefined for a free one. */
export function findHolder(em: Em, { projectId, key }: Pick<KeyClaim, 'projectId' | 'key'>) {
  const sql = `select request, created_at as "createdAt", status_code as "statusCode", created_id as "createdId"
     from idempotency_keys where project_id = $1 and key = $2 and expires_at > now()`;
  return queryFirst(em, holderRow, sql, [projectId, key]);
}

/**
 * Releases the keys of requests that ended with a 4xx and stores the outcome of the others, in one statement. Commits
 * asynchronously: if a crash loses the commit, the keys stay held.
 */
export async function settleClaims(em: Em, claims: readonly SettledClaim[]): Promise<void> {
  const sql = `with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
     settled as materialized (
       select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::uuid[])
         as claim (project_id, key, token, status_code, created_id)
        where (select count(*) from relaxed) = 1),
     held as materialized (
       -- In the order in which claims lock keys, including claims that are refused.
       select s.project_id, s.key, s.status_code, s.created_id
         from (select * from settled order by project_id, key) s
        cross join lateral (${joinByKeySql(
          'idempotency_keys k where k.project_id = s.project_id and k.key = s.key and k.token = s.token',
          'for update',
        )}) k),
     released as (
       delete from idempotency_keys k using held h
        where k.project_id = h.project_id and k.key = h.key and h.status_code between 400 and 499)
     update idempotency_keys k set status_code = h.status_code, created_id = h.created_id
       from held h
      where k.project_id = h.project_id and k.key = h.key and h.status_code not between 400 and 499`;
  await execute(em, sql, columnsOf(claims, 'projectId', 'key', 'token', 'statusCode', 'createdId'));
}
