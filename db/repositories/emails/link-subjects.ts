import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { type Subscriber, subscriberColumns } from '../contacts/change-subscription.ts';

/** What the ids in a link stand for. */
export interface LinkSubjectRow {
  projectId: string;
  projectName: string;
  brandColor: string | null;
  /** Undefined once the contact was erased; its emails still tell the project. */
  subscriber: Subscriber | undefined;
}

/**
 * The project and contact that a link names. The one look-up that is not scoped by a project, because the link
 * does not name any: its token is checked against the project that is found here.
 */
export async function findLinkSubject(
  em: Em,
  contactId: string,
  emailId: string,
): Promise<LinkSubjectRow | undefined> {
  const [row] = await sql<
    Omit<LinkSubjectRow, 'subscriber'> & { [Key in keyof Subscriber]: Subscriber[Key] | null }
  >(
    em,
    `select p.id as "projectId", p.name as "projectName", p.brand_color as "brandColor", ${subscriberColumns}
     from (values ($1::uuid, $2::uuid)) link (contact_id, email_id)
     left join contacts c on c.id = link.contact_id
     left join emails e on e.id = link.email_id
     join projects p on p.id = coalesce(c.project_id, e.project_id)`,
    [contactId, emailId],
  );
  if (row === undefined) return undefined;
  const { projectId, projectName, brandColor, id, email, subscribed, snoozedUntil, locale } = row;
  const isHere = id !== null && email !== null && subscribed !== null;
  const subscriber = isHere ? { id, email, subscribed, snoozedUntil, locale } : undefined;
  return { projectId, projectName, brandColor, subscriber };
}
