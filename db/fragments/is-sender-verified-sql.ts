/**
 * Whether the sender's domain is verified for the project: verification may have been lost since the API checked it.
 */
export const isSenderVerifiedSql = (projectId: string, fromEmail: string) => `exists (
  select from domains
  where project_id = ${projectId} and domain = split_part(${fromEmail}, '@', -1) and status = 'verified'
)`;
