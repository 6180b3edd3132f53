import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * Prevents a contact's deletion until the transaction ends, with a lock that does not block tracked events.
 *
 * @returns false when the project has no such contact
 */
export async function lockContact(em: Em, projectId: string, contactId: string): Promise<boolean> {
  const found = await query(
    em,
    z.object({ id: z.uuid() }),
    'select id from contacts where project_id = $1 and id = $2 for key share',
    [projectId, contactId],
  );
  return found.length > 0;
}
