import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const secretsSchema = z.object({
  current: z.instanceof(Buffer).nullable(),
  previous: z.instanceof(Buffer).nullable(),
  previousUntil: z.date().nullable(),
});

export type StoredWebhookSecrets = z.output<typeof secretsSchema>;

/**
 * `previous` is null once it has expired, by the database's clock.
 *
 * @returns undefined when the project was deleted
 */
export async function readWebhookSecrets(
  em: Em,
  projectId: string,
): Promise<StoredWebhookSecrets | undefined> {
  const [secrets] = await query(
    em,
    secretsSchema,
    `select p.webhook_secret_encrypted as current, q.previous, q.until as "previousUntil"
     from projects p
     left join lateral (
       select p.webhook_secret_previous_encrypted as previous, p.webhook_secret_previous_until as until
       where p.webhook_secret_previous_until > now()
     ) q on true
     where p.id = $1`,
    [projectId],
  );
  return secrets;
}
