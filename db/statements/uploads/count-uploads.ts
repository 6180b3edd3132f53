import type { UploadQuota } from '../../../core/images/upload-quota.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Marks an image as stored and counts it. The quota is checked under the lock of the total, so concurrent uploads
 * never exceed it.
 *
 * @returns false when the quota is exhausted, or the project was erased or deleted
 */
export async function finishUpload(
  em: Em,
  upload: { key: string; projectId: string; size: number },
  quota: UploadQuota,
): Promise<boolean> {
  const sql = `with upload as materialized (
       -- Locked, so that an erasure that removes it is either over or waits.
       select key from uploads where key = $1 and not stored for update
     ),
     counted as (
       insert into upload_totals as total (project_id, files, bytes)
       select $2, 1, $3::bigint from upload
       where ($5::bigint = 0 or $3::bigint <= $5) and exists (select from projects where id = $2)
       on conflict (project_id) do update set files = total.files + 1, bytes = total.bytes + excluded.bytes
       where ($4::int = 0 or total.files < $4) and ($5::bigint = 0 or total.bytes + excluded.bytes <= $5)
       returning 1
     )
     update uploads set stored = true, size = $3 where key = $1 and exists (select from counted)`;
  const parameters = [upload.key, upload.projectId, upload.size, quota.files, quota.bytes];
  const stored = await execute(em, sql, parameters);
  return stored > 0;
}

/** Deletes the row of a deleted image and subtracts the image from the total. Idempotent. */
export async function removeUpload(em: Em, key: string): Promise<void> {
  const sql = `with removed as (delete from uploads where key = $1 returning project_id, size, stored)
     update upload_totals t set files = files - 1, bytes = bytes - removed.size
     from removed where t.project_id = removed.project_id and removed.stored`;
  await execute(em, sql, [key]);
}
