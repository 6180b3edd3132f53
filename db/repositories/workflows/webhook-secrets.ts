import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/**
 * The project's webhook secret as it is stored; `fresh` becomes it when there is none. Undefined when the project is
 * gone.
 */
export async function keepWebhookSecret(
  em: Em,
  projectId: string,
  fresh: Buffer,
): Promise<Buffer | undefined> {
  const [row] = await sql<{ secret: Buffer }>(
    em,
    `with kept as (
       update projects set webhook_secret_encrypted = $2 where id = $1 and webhook_secret_encrypted is null
       returning webhook_secret_encrypted as secret
     )
     select secret from kept
     union all
     select webhook_secret_encrypted from projects where id = $1 and webhook_secret_encrypted is not null
     limit 1`,
    [projectId, fresh],
  );
  return row?.secret;
}

/** The stored secret; null before the first, undefined when the project is gone. */
export async function readWebhookSecret(em: Em, projectId: string): Promise<Buffer | null | undefined> {
  const [row] = await sql<{ secret: Buffer | null }>(
    em,
    'select webhook_secret_encrypted as secret from projects where id = $1',
    [projectId],
  );
  return row?.secret;
}
