import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Minutes that an allowance of attempts is for. */
const windowMinutes = 15;

/** The first of some devices and addresses that signed in to the account of an address before. */
export async function findKnownSource(
  em: Em,
  email: string,
  sources: readonly Buffer[],
): Promise<Buffer | undefined> {
  const [row] = await sql<{ source: Buffer }>(
    em,
    `select s.source from users u join sign_in_sources s on s.user_id = u.id
     where u.email = $1 and s.source = any($2) order by array_position($2, s.source) limit 1`,
    [email, sources],
  );
  return row?.source;
}

/** Remembers devices and addresses of an account that has just been signed in to. */
export async function rememberSources(em: Em, userId: string, sources: readonly Buffer[]): Promise<void> {
  await sql(
    em,
    `insert into sign_in_sources as known (user_id, source) select $1, unnest($2::bytea[])
     on conflict (user_id, source) do update set seen_at = now() where known.seen_at < now() - interval '1 day'`,
    [userId, sources],
  );
}

/** Forgets what an account was signed in from. */
export async function forgetSources(em: Em, userId: string): Promise<void> {
  await sql(em, 'delete from sign_in_sources where user_id = $1', [userId]);
}

/**
 * Counts an attempt. Of attempts at once no more pass than may.
 * @returns undefined, or the seconds until the next may pass
 */
export async function takeAttempt(em: Em, subject: Buffer, limit: number): Promise<number | undefined> {
  const taken = await sql(
    em,
    `insert into sign_in_attempts as held (subject, attempts, ends_at)
     values ($1, 1, now() + make_interval(mins => ${windowMinutes}))
     on conflict (subject) do update
     set attempts = case when held.ends_at <= now() then 1 else held.attempts + 1 end,
       ends_at = case when held.ends_at <= now() then excluded.ends_at else held.ends_at end
     where held.ends_at <= now() or held.attempts < $2
     returning 1`,
    [subject, limit],
  );
  if (taken.length > 0) return undefined;
  const [row] = await sql<{ seconds: number }>(
    em,
    `select greatest(1, ceil(extract(epoch from ends_at - now())))::int as seconds
     from sign_in_attempts where subject = $1`,
    [subject],
  );
  return row?.seconds ?? 1;
}

/** Takes an attempt back that was no wrong password. */
export async function returnAttempt(em: Em, subject: Buffer): Promise<void> {
  await sql(em, 'update sign_in_attempts set attempts = attempts - 1 where subject = $1 and attempts > 0', [
    subject,
  ]);
}
