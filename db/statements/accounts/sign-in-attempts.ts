import { z } from 'zod';
import { signInWindowMinutes } from '../../../core/accounts/limits.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn } from '../../sql.ts';

/**
 * Counts a sign-in attempt. The limit is checked under the counter's row lock, so concurrent attempts never exceed it.
 *
 * @returns seconds until the next attempt is allowed, or undefined if this one is
 */
export async function countSignInAttempt(
  em: Em,
  subject: Buffer,
  limit: number,
): Promise<number | undefined> {
  const countSql = `insert into sign_in_attempts as counted (subject, attempts, ends_at)
     values ($1, 1, now() + make_interval(mins => ${signInWindowMinutes}))
     on conflict (subject) do update
     set attempts = case when counted.ends_at <= now() then 1 else counted.attempts + 1 end,
       ends_at = case when counted.ends_at <= now() then excluded.ends_at else counted.ends_at end
     where counted.ends_at <= now() or counted.attempts < $2`;
  const counted = await execute(em, countSql, [subject, limit]);
  if (counted > 0) return undefined;
  const waitSql = `select greatest(1, ceil(extract(epoch from ends_at - now())))::int as seconds
     from sign_in_attempts where subject = $1`;
  const [seconds = 1] = await queryColumn(em, z.int(), waitSql, [subject]);
  return seconds;
}

/** Undoes one counted attempt. */
export async function giveBackSignInAttempt(em: Em, subject: Buffer): Promise<void> {
  const sql = 'update sign_in_attempts set attempts = attempts - 1 where subject = $1 and attempts > 0';
  await execute(em, sql, [subject]);
}

// A statement, because it writes an array in one round trip and rewrites known sources only once a day.
export async function rememberSignInSources(
  em: Em,
  userId: string,
  sources: readonly Buffer[],
): Promise<void> {
  const sql = `insert into sign_in_sources as known (user_id, source) select $1, unnest($2::bytea[])
     on conflict (user_id, source) do update set seen_at = now() where known.seen_at < now() - interval '1 day'`;
  await execute(em, sql, [userId, sources]);
}
