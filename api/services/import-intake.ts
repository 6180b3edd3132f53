import { readImportFormat } from '../../core/contact-import/import-format.ts';
import { createEncodingDetector } from '../../core/contact-import/text-encoding.ts';
import { validationFailed } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { Orm } from '../../db/orm.ts';
import { deleteJobChunks, insertJobChunk } from '../../db/repositories/jobs/job-chunks.ts';
import { insertJob } from '../../db/repositories/jobs/jobs.ts';

/** Bytes of a row that holds a part of a file: what an upload takes of memory. */
const chunkBytes = 256 * 1024;

/**
 * Makes the function that stores an uploaded file part by part and then adds the job to import it. No transaction
 * spans the upload, because a slow client would hold it open: parts whose upload ended early are dropped here, and
 * by a sweep where this process died.
 */
export function createImportIntake(
  orm: Orm,
): (projectId: string, bytes: AsyncIterable<Uint8Array>) => Promise<string> {
  return async (projectId, bytes) => {
    const id = newId();
    try {
      const detector = createEncodingDetector();
      let start: Buffer | undefined;
      let size = 0;
      let position = 0;
      for await (const chunk of inChunks(bytes)) {
        start ??= chunk;
        size += chunk.length;
        detector.add(chunk);
        await insertJobChunk(orm.em.fork(), id, position, chunk);
        position += 1;
      }
      const read = readImportFormat(start ?? Buffer.alloc(0), detector.detect(), size);
      if (!read.ok) throw validationFailed([{ field: 'file', message: read.message, code: 'custom' }]);
      const job = { id, projectId, type: 'import' as const, result: {}, file: read.format };
      await insertJob(orm.em.fork(), job, { id: newId(), kind: 'contacts.import' });
      return id;
    } catch (error) {
      await deleteJobChunks(orm.em.fork(), id).catch(() => undefined);
      throw error;
    }
  };
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let gathered = 0;
  for await (const part of bytes) {
    parts.push(part);
    gathered += part.length;
    if (gathered < chunkBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    gathered = 0;
  }
  if (gathered > 0) yield Buffer.concat(parts);
}
