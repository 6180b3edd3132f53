import type { Em } from '../../orm.ts';

/** Notes that a session is in use, at most once in ten minutes, also for concurrent calls. */
export async function touchSession(em: Em, sessionId: string): Promise<void> {
  await em.execute(
    `update sessions set last_used_at = now() where id = ? and last_used_at < now() - interval '10 minutes'`,
    [sessionId],
  );
}
