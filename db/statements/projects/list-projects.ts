import { z } from 'zod';
import { locales } from '../../../core/messages/messages.ts';
import { projectRoles } from '../../../core/project-roles.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const projectRow = z.object({
  id: z.uuid(),
  name: z.string(),
  role: z.enum(projectRoles),
  publicKeyEncrypted: z.instanceof(Uint8Array),
  secretKeyEncrypted: z.instanceof(Uint8Array),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  suppressTransactional: z.boolean(),
  brandColor: z.string().nullable(),
  logoUrl: z.string().nullable(),
  footerAddress: z.string().nullable(),
  language: z.enum(locales),
  createdAt: z.date(),
  updatedAt: z.date(),
});

export type ListedProject = z.output<typeof projectRow>;

/**
 * The projects of a user, oldest first, with the role of the user. A statement, because a user may have thousands:
 * mapping 2,000 of them to records blocked the event loop for a second.
 */
export function listProjects(em: Em, userId: string) {
  const sql = `select p.id, p.name, m.role, p.public_key_encrypted as "publicKeyEncrypted",
       p.secret_key_encrypted as "secretKeyEncrypted", p.disabled, p.disabled_reason as "disabledReason",
       p.suppress_transactional as "suppressTransactional", p.brand_color as "brandColor", p.logo_url as "logoUrl",
       p.footer_address as "footerAddress", p.language, p.created_at as "createdAt", p.updated_at as "updatedAt"
     from memberships m join projects p on p.id = m.project_id
     where m.user_id = $1
     order by p.id`;
  return query(em, projectRow, sql, [userId]);
}
