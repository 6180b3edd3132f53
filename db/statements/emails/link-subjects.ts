import { z } from 'zod';
import { locales } from '../../../core/messages/messages.ts';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';
import { subscriberColumns } from '../contacts/change-subscription.ts';

const linkSubjectRow = z.object({
  projectId: z.uuid(),
  projectName: z.string(),
  brandColor: z.string().nullable(),
  logoUrl: z.string().nullable(),
  language: z.enum(locales),
  isDisabled: z.boolean(),
  id: z.uuid().nullable(),
  email: z.string().nullable(),
  subscribed: z.boolean().nullable(),
  snoozedUntil: z.date().nullable(),
  locale: z.json(),
});

/**
 * The project and contact of a link. Links contain no project, so the look-up is not scoped by one; the caller checks
 * the token against the project found here. `subscriber` is undefined when the contact was erased; its emails still
 * identify the project.
 */
export async function findLinkSubject(em: Em, contactId: string, emailId: string) {
  const sql = `select p.id as "projectId", p.name as "projectName", p.brand_color as "brandColor",
       p.logo_url as "logoUrl", p.language, p.disabled as "isDisabled",
       ${subscriberColumns}
     from (values ($1::uuid, $2::uuid)) link (contact_id, email_id)
     left join contacts c on c.id = link.contact_id
     left join emails e on e.id = link.email_id
     join projects p on p.id = coalesce(c.project_id, e.project_id)`;
  const row = await queryFirst(em, linkSubjectRow, sql, [contactId, emailId]);
  if (row === undefined) return undefined;
  const { id, email, subscribed, snoozedUntil, locale, ...project } = row;
  const isHere = id !== null && email !== null && subscribed !== null;
  const subscriber = isHere ? { id, email, subscribed, snoozedUntil, locale } : undefined;
  return { ...project, subscriber };
}
