import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Stores rows that a part of an import rejected, and the header of their file beside the first ones. As bytes, because
 * rows may have NUL characters.
 *
 * @param em in the transaction that moves the job's cursor
 * @param done the new cursor
 */
export async function insertRejections(
  em: Em,
  jobId: string,
  done: number,
  header: string,
  rows: string,
): Promise<void> {
  const sql = `insert into job_rejections (job_id, position, bytes) values ($1, 0, $2), ($1, $3, $4)
     on conflict do nothing`;
  await execute(em, sql, [jobId, Buffer.from(header), done, Buffer.from(rows)]);
}
