import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/sql.ts';

/** A request that wants or holds a key. */
export interface KeyClaim {
  projectId: string;
  key: string;
  request: string;
  /** Tells this request from every other that ever held the key. */
  token: string;
}

export interface SettledClaim extends KeyClaim {
  statusCode: number;
}

export interface HeldKey {
  request: string;
  /** Epoch milliseconds of the claim. */
  claimed_at: number;
  status_code: number | null;
}

/**
 * Claims keys by one statement, each key named once; true where the claim now holds its key. A key whose time is
 * over counts as free. Rows are locked in the order of the keys.
 */
export async function claimKeys(em: Em, claims: readonly KeyClaim[], ttlHours: number): Promise<boolean[]> {
  const rows = await sql<{ token: string }>(
    em,
    `insert into idempotency_keys as held (project_id, key, request, token, status_code, created_at, expires_at)
     select project_id, key, request, token, null, now(), now() + $5 * interval '1 hour'
       from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) as claim (project_id, key, request, token)
      order by project_id, key
     on conflict (project_id, key) do update
       set request = excluded.request, token = excluded.token, status_code = null,
           created_at = excluded.created_at, expires_at = excluded.expires_at
       where held.expires_at <= now()
     returning token`,
    [
      claims.map((claim) => claim.projectId),
      claims.map((claim) => claim.key),
      claims.map((claim) => claim.request),
      claims.map((claim) => claim.token),
      ttlHours,
    ],
  );
  const claimed = new Set(rows.map((row) => row.token));
  return claims.map((claim) => claimed.has(claim.token));
}

/** Who holds a key; undefined when nobody does (any more). */
export async function readKey(em: Em, projectId: string, key: string): Promise<HeldKey | undefined> {
  const rows = await sql<HeldKey>(
    em,
    `select request, extract(epoch from created_at)::float8 * 1000 as claimed_at, status_code
       from idempotency_keys
      where project_id = $1 and key = $2 and expires_at > now()`,
    [projectId, key],
  );
  return rows[0];
}

/**
 * Deletes the claims that ended with a 4xx and writes the status of the others. The commit is not waited for to
 * reach the disk: a crash leaves the claim as it was made, and a crash keeps the key anyway.
 */
export async function settleClaims(em: Em, claims: readonly SettledClaim[]): Promise<void> {
  await sql(
    em,
    `with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
     settled as materialized (
       select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[])
         as claim (project_id, key, token, status_code)
        where (select count(*) from relaxed) = 1),
     released as (
       delete from idempotency_keys held using settled
        where held.project_id = settled.project_id and held.key = settled.key and held.token = settled.token
          and settled.status_code between 400 and 499)
     update idempotency_keys held set status_code = settled.status_code
       from settled
      where held.project_id = settled.project_id and held.key = settled.key and held.token = settled.token
        and settled.status_code not between 400 and 499`,
    [
      claims.map((claim) => claim.projectId),
      claims.map((claim) => claim.key),
      claims.map((claim) => claim.token),
      claims.map((claim) => claim.statusCode),
    ],
  );
}
