import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

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
