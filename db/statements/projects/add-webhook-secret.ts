import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/** Adds the project's first webhook secret. A compare-and-set: of two concurrent calls, one succeeds. */
export async function addWebhookSecret(em: Em, projectId: string, secret: Buffer): Promise<void> {
  await execute(
    em,
    'update projects set webhook_secret_encrypted = $2 where id = $1 and webhook_secret_encrypted is null',
    [projectId, secret],
  );
}
