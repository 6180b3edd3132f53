import { inferFieldType } from '../../../core/contact-data/infer-field-type.ts';
import { maxContactDataBytes } from '../../../core/contact-data/parse-contact-data.ts';
import { importFormatSchema } from '../../../core/contact-import/import-format.ts';
import { createNotationTally } from '../../../core/contact-import/notation.ts';
import type { BadRow, ImportRow } from '../../../core/contact-import/read-row.ts';
import { readHeader, readRows } from '../../../core/contact-import/read-rows.ts';
import { createRejectionWriter, maxRejectedRows } from '../../../core/contact-import/rejected-rows.ts';
import { type ImportResult, importResultSchema, maxImportErrors } from '../../../core/jobs/results.ts';
import { jsonByteLength } from '../../../core/json-value.ts';
import { limitReached } from '../../../db/database-errors.ts';
import { JobChunk } from '../../../db/entities/job.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { Segment } from '../../../db/entities/segment.ts';
import { lockRecord } from '../../../db/lock-record.ts';
import type { Em } from '../../../db/orm.ts';
import { type NewFieldType, recordFieldTypes } from '../../../db/statements/contacts/contact-keys.ts';
import { measureContacts } from '../../../db/statements/jobs/import-contacts.ts';
import { insertRejections } from '../../../db/statements/jobs/insert-rejections.ts';
import { changeStaticMembers } from '../../../db/statements/segments/change-static-members.ts';
import type { ContactJobProgress } from '../../contracts/contact-jobs.ts';
import { inFewerAtOnce, type JobContext, JobFailure, type JobRun, runJob } from './run-job.ts';
import { type WrittenRows, writeRows } from './write-rows.ts';

/** Rows per transaction: enough to share its cost, few enough to hold locks only briefly. */
const batchRows = 2_000;
/** The same for an import into a segment: other changes of the segment wait for the transaction. */
const segmentBatchRows = 250;
/** Data per transaction. Merging 2,000 rows into contacts of 64 KB took minutes, and the journal of all projects waited. */
const partBytes = 2 * 1024 * 1024;
/** Parsed without a pause. Each question of the transaction beside it waits for a piece. */
const pieceBytes = 4 * 1024;

interface PreparedBatch {
  parts: ImportRow[][];
  /** Addresses of all parts, in the order in which statements lock contacts. */
  emails: string[];
  /** Percentage of the file. */
  progress: number;
}

/**
 * Continues the import of a file. Each run reads the file from the beginning and skips rows already applied; bad rows
 * are counted and reported.
 */
export function importContacts(context: JobContext, jobId: string): Promise<ContactJobProgress> {
  return runJob(
    context,
    jobId,
    (run) => importRows(context.em, run),
    (result) => {
      const { errors, notices, ...counts } = importResultSchema.parse(result);
      return counts;
    },
  );
}

async function importRows(em: Em, run: JobRun): Promise<boolean> {
  const { job } = run;
  const parsed = importFormatSchema.safeParse(job.file);
  if (!parsed.success) throw new JobFailure('The file of this import is gone');
  const format = parsed.data;
  const rowsAtATime = format.segmentId === undefined ? batchRows : segmentBatchRows;
  const learn = createFieldTypeLearner(em, job.projectId);
  const tally = createNotationTally();
  const seen = new Set<string>();
  let repeated = 0;
  const reading = { bytes: 0 };
  const file = () => readFile(em, job.id, format.bytes, reading);
  const { names } = await readHeader(file(), format);
  const rejections = createRejectionWriter(names, format.delimiter);

  const prepare = async (rows: ImportRow[]): Promise<PreparedBatch> => {
    const progress = Math.min(99, Math.floor((reading.bytes / format.bytes) * 100));
    await learn(rows);
    return { ...(await divideRows(em, job.projectId, rows)), progress };
  };
  const write = async ({ parts, emails, progress }: PreparedBatch): Promise<boolean> => {
    const writePart = (part: readonly ImportRow[]) => {
      const done = part.at(-1)?.row ?? 0;
      const before = importResultSchema.parse(job.result);
      return run.apply(async (tx) => {
        // Segment before contacts: the lock order of other changes to members.
        const segment = await lockSegment(tx, job.projectId, format.segmentId);
        const written = await writeRows(tx, job.projectId, part, emails);
        if (segment !== null) await addMembers(tx, segment, part, written);
        const kept = written.rejected.slice(0, Math.max(0, maxRejectedRows - before.skipped));
        if (kept.length > 0)
          await insertRejections(tx, job.id, done, rejections.header, kept.map(rejections.row).join(''));
        const result = { ...addResult(before, written), repeated, notices: tally.notices() };
        return { done, progress, result };
      });
    };
    for (const part of parts) if (!(await inFewerAtOnce(part, writePart))) return false;
    return true;
  };

  // The next rows are read and prepared while the previous ones are being written.
  let writing = Promise.resolve(true);
  let batch: ImportRow[] = [];
  try {
    for await (const rows of readRows(file(), format)) {
      for (const row of rows) {
        // Rows of earlier runs count, too.
        tally.add(row);
        const known = seen.size;
        if (row.ok && seen.add(row.email).size === known) repeated += 1;
        if (row.row > job.done) batch.push(row);
        if (batch.length < rowsAtATime) continue;
        const prepared = await prepare(batch);
        if (!(await writing) || run.isOver()) return false;
        writing = write(prepared);
        writing.catch(() => undefined);
        batch = [];
      }
    }
    const last = await prepare(batch);
    return (await writing) && (await write(last));
  } finally {
    await writing.catch(() => undefined);
  }
}

const addressesOf = (rows: readonly ImportRow[]): string[] => [
  ...new Set(rows.flatMap((row) => (row.ok ? [row.email] : []))),
];

/** Null once it is deleted: the import goes on without it. */
const lockSegment = async (tx: Em, projectId: string, id: string | undefined): Promise<Segment | null> =>
  id === undefined ? null : lockRecord(tx, Segment, { id, projectId }, allProjects);

function addMembers(tx: Em, segment: Segment, part: readonly ImportRow[], { rejected }: WrittenRows) {
  const skipped = new Set(rejected.map(({ row }) => row));
  const imported = part.filter(({ row }) => !skipped.has(row));
  return changeStaticMembers(tx, segment, 'add', addressesOf(imported));
}

async function* readFile(
  em: Em,
  jobId: string,
  bytes: number,
  reading: { bytes: number },
): AsyncGenerator<Uint8Array> {
  reading.bytes = 0;
  for (let position = 0; reading.bytes < bytes; position += 1) {
    const chunk = await em.fork().findOne(JobChunk, { jobId, position });
    if (chunk === null) throw new JobFailure('The file of this import is gone');
    for (let start = 0; start < chunk.bytes.length; start += pieceBytes) {
      const piece = chunk.bytes.subarray(start, start + pieceBytes);
      reading.bytes += piece.length;
      yield piece;
    }
  }
}

/**
 * Divides rows, in order, into parts of about `partBytes`, counting the data of their contacts too. What the batch
 * before may not have written yet is not counted; a file has at most 5 MB.
 */
async function divideRows(
  em: Em,
  projectId: string,
  rows: readonly ImportRow[],
): Promise<Pick<PreparedBatch, 'parts' | 'emails'>> {
  const sizes = await measureContacts(em.fork(), projectId, addressesOf(rows));
  const emails = [...sizes.keys()];
  const parts: ImportRow[][] = [];
  let left = 0;
  for (const row of rows) {
    let bytes = 0;
    if (row.ok) {
      const found = sizes.get(row.email) ?? 0;
      bytes = found + jsonByteLength(row.data);
      // What the next row of this contact finds.
      sizes.set(row.email, Math.max(found, Math.min(bytes, maxContactDataBytes)));
    }
    const open = parts.at(-1);
    if (open === undefined || bytes > left) {
      parts.push([row]);
      left = partBytes;
    } else {
      open.push(row);
    }
    left -= bytes;
  }
  return { parts, emails };
}

function addResult(before: ImportResult, more: WrittenRows): Omit<ImportResult, 'notices' | 'repeated'> {
  return {
    totalRows: before.totalRows + more.totalRows,
    created: before.created + more.created,
    updated: before.updated + more.updated,
    skipped: before.skipped + more.skipped,
    errors: [...before.errors, ...more.rejected.map(toError)].slice(0, maxImportErrors),
  };
}

const toError = ({ row, email, message }: BadRow): ImportResult['errors'][number] => ({
  row,
  email,
  message,
});

export function createFieldTypeLearner(
  em: Em,
  projectId: string,
): (rows: readonly ImportRow[]) => Promise<void> {
  const known = new Set<string>();
  return async (rows) => {
    const fresh: NewFieldType[] = [];
    for (const row of rows) {
      if (!row.ok) continue;
      for (const [key, value] of Object.entries(row.data)) {
        if (value === null || known.has(key)) continue;
        known.add(key);
        fresh.push({ projectId, key, type: inferFieldType(value) });
      }
    }
    try {
      await recordFieldTypes(em, fresh);
    } catch (error) {
      if (limitReached(error) === undefined) throw error;
      throw new JobFailure('The project would have more than 10,000 keys of data');
    }
  };
}
