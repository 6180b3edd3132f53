import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryColumn, queryFirst } from '../../sql.ts';

const factsRow = z.object({
  contactId: z.uuid().nullable(),
  isDomainOfOurs: z.boolean(),
  recent: z.int(),
  isProjectDisabled: z.boolean(),
});
export type SenderFacts = z.output<typeof factsRow>;

/**
 * Facts about a sender, read in one snapshot; `recent` counts the last hour, up to `most`. Undefined when the project
 * was deleted.
 */
export function findSenderFacts(
  em: Em,
  projectId: string,
  sender: { email: string | null; domain: string | null },
  most: number,
): Promise<SenderFacts | undefined> {
  const sql = `select c.id as "contactId", p.disabled as "isProjectDisabled",
       exists (select from domains where domain = $3 and status = 'verified') as "isDomainOfOurs",
       (select count(*)::int from (
         select from inbound_emails r
         where r.contact_id = c.id and r.received_at > now() - interval '1 hour'
         limit $4) r) as recent
     from projects p
     left join contacts c on c.project_id = p.id and c.email = $2
     where p.id = $1`;
  return queryFirst(em, factsRow, sql, [projectId, sender.email, sender.domain, most]);
}

/**
 * The email to this contact that a received email replies to.
 *
 * @param providerIds most likely match first
 */
export async function findAnsweredEmail(
  em: Em,
  contactId: string,
  providerIds: readonly string[],
): Promise<string | null> {
  if (providerIds.length === 0) return null;
  const sql = `select id from emails where contact_id = $1 and message_id = any($2::text[])
     order by array_position($2::text[], message_id), id desc limit 1`;
  const [answered = null] = await queryColumn(em, z.uuid(), sql, [contactId, providerIds]);
  return answered;
}
