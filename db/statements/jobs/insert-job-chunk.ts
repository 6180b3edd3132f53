import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Stores the next part of a job's file; positions count from 0. A statement, because it binds the bytes: MikroORM would
 * inline them as hexadecimal text of twice the size.
 */
export async function insertJobChunk(
  em: Em,
  jobId: string,
  position: number,
  bytes: Uint8Array,
): Promise<void> {
  const sql = 'insert into job_chunks (job_id, position, bytes) values ($1, $2, $3)';
  await execute(em, sql, [jobId, position, bytes]);
}
