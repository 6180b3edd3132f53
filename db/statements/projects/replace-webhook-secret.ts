import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Replaces the webhook secret. The previous one stays valid for `hours`; older ones do not. Does not touch
 * `updated_at`.
 */
export async function replaceWebhookSecret(
  em: Em,
  projectId: string,
  secret: Buffer,
  hours: number,
): Promise<void> {
  await execute(
    em,
    `update projects
     set webhook_secret_previous_encrypted = webhook_secret_encrypted,
       webhook_secret_previous_until = case when webhook_secret_encrypted is not null
         then now() + make_interval(hours => $3) end,
       webhook_secret_encrypted = $2
     where id = $1`,
    [projectId, secret, hours],
  );
}
