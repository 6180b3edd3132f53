import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/** Deletes the row of a deleted image and subtracts the image from the total. Idempotent. */
export async function removeUpload(em: Em, key: string): Promise<void> {
  const sql = `with removed as (delete from uploads where key = $1 returning project_id, size, stored)
     update upload_totals t set files = files - 1, bytes = bytes - removed.size
     from removed where t.project_id = removed.project_id and removed.stored`;
  await execute(em, sql, [key]);
}
