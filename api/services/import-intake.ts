import { z } from 'zod';
import type { ColumnMapping } from '../../core/contact-import/columns.ts';
import { readImportFormat } from '../../core/contact-import/import-format.ts';
import { createEncodingDetector } from '../../core/contact-import/text-encoding.ts';
import { validationFailed } from '../../core/errors.ts';
import { idSchema } from '../../core/id-schema.ts';
import { isStorableText, tryParseJson } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import { isDatabaseAway } from '../../db/database-away.ts';
import { Job, JobChunk } from '../../db/entities/job.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { Segment } from '../../db/entities/segment.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { insertJobChunk } from '../../db/statements/jobs/insert-job-chunk.ts';

/** A file and the other fields of its form, which are complete once all bytes were read. */
export interface ImportForm {
  bytes: AsyncIterable<Uint8Array>;
  fields: ReadonlyMap<string, string>;
}

/** Bytes per stored chunk; also the upload's memory footprint. */
const chunkBytes = 256 * 1024;

/**
 * Stores an uploaded file in chunks, then creates the import job. No transaction spans the upload, because a slow
 * client would hold it open. Chunks of a failed upload are deleted here, or by a sweep after an outage.
 */
export async function takeInImport(
  orm: Orm,
  projectId: string,
  { bytes, fields }: ImportForm,
): Promise<string> {
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
      await insertJobChunk(projectEm(orm, projectId), id, position, chunk);
      position += 1;
    }
    const mapping = readMapping(fields.get('mapping'));
    const read = readImportFormat(start ?? Buffer.alloc(0), detector.detect(), size, mapping);
    if (!read.ok) throw validationFailed([{ field: 'file', message: read.message, code: 'custom' }]);
    const em = projectEm(orm, projectId);
    const segmentId = await readSegment(em, fields.get('segmentId'));
    em.create(Job, { id, projectId, type: 'import', file: { ...read.format, segmentId } });
    em.create(OutboxCommand, { kind: 'contacts.import', subjectId: id, projectId });
    await em.flush();
    return id;
  } catch (error) {
    // An outage may hide that the job was saved.
    if (isDatabaseAway(error)) throw error;
    await projectEm(orm, projectId)
      .nativeDelete(JobChunk, { jobId: id })
      .catch(() => undefined);
    throw error;
  }
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

const text = z.string().refine(isStorableText);
const mappingSchema = z.record(text, text.nullable());

/** @throws DomainError `VALIDATION_ERROR` for anything but JSON of a mapping */
export function readMapping(sent: string | undefined): ColumnMapping {
  if (sent === undefined || sent === '') return {};
  const mapping = mappingSchema.safeParse(tryParseJson(sent));
  if (mapping.success) return mapping.data;
  const message = 'Expected a JSON object from names of columns to names of fields, or null to leave one out';
  throw validationFailed([{ field: 'mapping', message, code: 'custom' }]);
}

/** @throws DomainError `VALIDATION_ERROR` for anything but the id of a static segment */
async function readSegment(em: Em, sent: string | undefined): Promise<string | undefined> {
  if (sent === undefined || sent === '') return undefined;
  const id = idSchema.safeParse(sent).data;
  const segment = id === undefined ? null : await em.findOne(Segment, { id, type: 'STATIC' });
  if (segment !== null) return segment.id;
  const message = 'Expected the id of a static segment';
  throw validationFailed([{ field: 'segmentId', message, code: 'custom' }]);
}
