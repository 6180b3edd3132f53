import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** How much a project may upload; 0 = no bound. */
export interface UploadQuota {
  files: number;
  bytes: number;
}

/** What the stored images of a project come to. */
export async function readUploadTotal(em: Em, projectId: string): Promise<UploadQuota> {
  const [row] = await sql<UploadQuota>(
    em,
    'select files, bytes::float8 as bytes from upload_totals where project_id = $1',
    [projectId],
  );
  return row ?? { files: 0, bytes: 0 };
}

/** Notes an image before its file is written, so that a file of a process that dies is found. */
export async function beginUpload(em: Em, key: string, projectId: string): Promise<void> {
  await sql(em, 'insert into uploads (key, project_id) values ($1, $2)', [key, projectId]);
}

/**
 * Counts an image whose file is written. Of calls at once no more pass than the quota has room for.
 * @returns false when there is no room, or its project was erased meanwhile
 */
export async function finishUpload(
  em: Em,
  upload: { key: string; projectId: string; size: number },
  quota: UploadQuota,
): Promise<boolean> {
  const rows = await sql(
    em,
    `with room as (
       insert into upload_totals as held (project_id, files, bytes)
       select $2, 1, $3::bigint from uploads
       where key = $1 and not stored and ($5::bigint = 0 or $3::bigint <= $5)
       on conflict (project_id) do update set files = held.files + 1, bytes = held.bytes + excluded.bytes
       where ($4::int = 0 or held.files < $4) and ($5::bigint = 0 or held.bytes + excluded.bytes <= $5)
       returning 1
     )
     update uploads set stored = true, size = $3 where key = $1 and exists (select from room) returning 1`,
    [upload.key, upload.projectId, upload.size, quota.files, quota.bytes],
  );
  return rows.length > 0;
}

/** Forgets an image whose file is gone. */
export async function removeUpload(em: Em, key: string): Promise<void> {
  await sql(
    em,
    `with gone as (delete from uploads where key = $1 returning project_id, size, stored)
     update upload_totals t set files = files - 1, bytes = bytes - gone.size
     from gone where t.project_id = gone.project_id and gone.stored`,
    [key],
  );
}

/** Some images of a project that were made until an instant. */
export async function listUploads(em: Em, projectId: string, until: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }>(
    em,
    `select key from uploads where project_id = $1 and created_at <= $2
     order by project_id, created_at, key limit $3`,
    [projectId, until, limit],
  );
  return rows.map(({ key }) => key);
}

/** Some images whose file was not finished an hour ago: of a process that died. */
export async function listUnfinishedUploads(em: Em, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }>(
    em,
    `select key from uploads where not stored and created_at < now() - interval '1 hour'
     order by created_at limit $1`,
    [limit],
  );
  return rows.map(({ key }) => key);
}
