import type { Role } from '../../entities/membership.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A place that waits for whoever proves to have the address. */
export interface PendingInvitation {
  id: string;
  email: string;
  role: Role;
  expiresAt: Date;
}

const columns = 'id, email, role, expires_at as "expiresAt"';

/** Invitations that are mailed in a clock hour: to an address, and by one user in all projects. */
const mostAnHour = { toAddress: 5, byUser: 20 };

/** The invitations of a project that have not expired, the oldest first. */
export function listInvitations(em: Em, projectId: string): Promise<PendingInvitation[]> {
  return sql(
    em,
    `select ${columns} from invitations where project_id = $1 and expires_at > now() order by created_at, id`,
    [projectId],
  );
}

export interface NewInvitation {
  id: string;
  projectId: string;
  /** Normalised. */
  email: string;
  role: Role;
  tokenHash: Buffer;
  /** Days until it expires. */
  days: number;
}

/** Invites an address; a second invitation to it replaces the first, whose link is worth nothing from then on. */
export async function putInvitation(em: Em, invitation: NewInvitation): Promise<PendingInvitation> {
  const { id, projectId, email, role, tokenHash, days } = invitation;
  const [row] = await sql<PendingInvitation>(
    em,
    `insert into invitations (id, project_id, email, role, token_hash, expires_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(days => $6))
     on conflict (project_id, email) do update
     set role = excluded.role, token_hash = excluded.token_hash, expires_at = excluded.expires_at
     returning ${columns}`,
    [id, projectId, email, role, tokenHash, days],
  );
  if (row === undefined) throw new Error('An insert must answer its row');
  return row;
}

/** The address of an invitation that has not expired, by its link. */
export async function findInvitedAddress(em: Em, tokenHash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ email: string }>(
    em,
    'select email from invitations where token_hash = $1 and expires_at > now()',
    [tokenHash],
  );
  return row?.email;
}

export async function findInvitation(
  em: Em,
  projectId: string,
  id: string,
): Promise<PendingInvitation | undefined> {
  const [row] = await sql<PendingInvitation>(
    em,
    `select ${columns} from invitations where project_id = $1 and id = $2 and expires_at > now()`,
    [projectId, id],
  );
  return row;
}

/** The invitation of an address that has not expired. */
export async function findInvitationOf(
  em: Em,
  projectId: string,
  email: string,
): Promise<PendingInvitation | undefined> {
  const [row] = await sql<PendingInvitation>(
    em,
    `select ${columns} from invitations where project_id = $1 and email = $2 and expires_at > now()`,
    [projectId, email],
  );
  return row;
}

/**
 * In a transaction: counts an email with an invitation, for its address and for the user who invites. Of calls at
 * once no more pass than may.
 * @returns undefined, or the seconds until the next hour when this one is too many: then it must not commit
 */
export async function countInvitationMail(
  em: Em,
  userId: string,
  email: string,
): Promise<number | undefined> {
  const rows = await sql<{ subject: string; mails: number; secondsLeft: number }>(
    em,
    `insert into invitation_hours as counted (subject, hour, mails)
     select subject, date_trunc('hour', now()), 1 from unnest($1::text[]) subject order by subject
     on conflict (subject, hour) do update set mails = counted.mails + 1
     returning subject, mails,
       ceil(extract(epoch from hour + interval '1 hour' - now()))::int as "secondsLeft"`,
    [[userId, email]],
  );
  const { toAddress, byUser } = mostAnHour;
  return rows.find(({ subject, mails }) => mails > (subject === email ? toAddress : byUser))?.secondsLeft;
}

export async function deleteInvitation(em: Em, projectId: string, id: string): Promise<void> {
  await sql(em, 'delete from invitations where project_id = $1 and id = $2', [projectId, id]);
}

/**
 * Turns the invitations of an address into places of the user who has proven to have it; a place that the user has
 * already stays as it is.
 */
export async function acceptInvitations(em: Em, userId: string, email: string): Promise<void> {
  await sql(
    em,
    `with taken as (
       delete from invitations where email = $2 returning project_id, role, expires_at
     )
     insert into memberships (project_id, user_id, role)
     select project_id, $1, role from taken where expires_at > now()
     on conflict (project_id, user_id) do nothing`,
    [userId, email],
  );
}

/** Whether a place waits for the address. */
export async function isInvited(em: Em, email: string): Promise<boolean> {
  const rows = await sql(em, 'select 1 from invitations where email = $1 and expires_at > now() limit 1', [
    email,
  ]);
  return rows.length > 0;
}
