import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** The webhook secrets of a project as they are stored. */
export interface StoredWebhookSecrets {
  /** Null before the first. */
  current: Buffer | null;
  /** While it signs too. */
  previous: Buffer | null;
  previousUntil: Date | null;
}

/** Undefined when the project is gone. */
export async function readWebhookSecrets(
  em: Em,
  projectId: string,
): Promise<StoredWebhookSecrets | undefined> {
  const [row] = await sql<StoredWebhookSecrets>(
    em,
    `select p.webhook_secret_encrypted as current, q.previous, q.until as "previousUntil"
     from projects p
     left join lateral (
       select p.webhook_secret_previous_encrypted as previous, p.webhook_secret_previous_until as until
       where p.webhook_secret_previous_until > now()
     ) q on true
     where p.id = $1`,
    [projectId],
  );
  return row;
}

/** Gives the project its first secret, unless it has one. */
export async function keepWebhookSecret(em: Em, projectId: string, fresh: Buffer): Promise<void> {
  await sql(
    em,
    'update projects set webhook_secret_encrypted = $2 where id = $1 and webhook_secret_encrypted is null',
    [projectId, fresh],
  );
}

/** Gives the project a new secret; the one before goes on to sign for so many hours, the one before that does not. */
export async function replaceWebhookSecret(
  em: Em,
  projectId: string,
  fresh: Buffer,
  hours: number,
): Promise<void> {
  await sql(
    em,
    `update projects
     set webhook_secret_previous_encrypted = webhook_secret_encrypted,
       webhook_secret_previous_until = case when webhook_secret_encrypted is not null
         then now() + make_interval(hours => $3) end,
       webhook_secret_encrypted = $2
     where id = $1`,
    [projectId, fresh, hours],
  );
}
