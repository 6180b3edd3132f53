import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Stores the next part of a job's file; positions count from 0. */
export async function insertJobChunk(
  em: Em,
  jobId: string,
  position: number,
  bytes: Uint8Array,
): Promise<void> {
  await sql(em, 'insert into job_chunks (job_id, position, bytes) values ($1, $2, $3)', [
    jobId,
    position,
    bytes,
  ]);
}

/** A part of a job's file, undefined after the last one. */
export async function readJobChunk(em: Em, jobId: string, position: number): Promise<Buffer | undefined> {
  const [row] = await sql<{ bytes: Buffer }>(
    em,
    'select bytes from job_chunks where job_id = $1 and position = $2',
    [jobId, position],
  );
  return row?.bytes;
}

/** Drops the file of an upload that did not become a job. */
export async function deleteJobChunks(em: Em, jobId: string): Promise<void> {
  await sql(em, 'delete from job_chunks where job_id = $1', [jobId]);
}
