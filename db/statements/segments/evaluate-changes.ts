import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { lastUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';
import { batchSegments, type Reader, type SegmentBatch, type Touched } from './batch-segments.ts';
import { firstBatch, nextBatch } from './contact-batches.ts';
import { evaluateSegments } from './evaluate-segments.ts';
import type { HopsOfChanges } from './hops-of-changes.ts';
import { planTouched } from './plan-clocks.ts';
import { dropUnusedInputs, markStale } from './plan-segment.ts';

const contactsPerChunk = 5_000;
const changesAtFirst = 200;
/** Of the evaluation of a chunk. Segments left then are computed in full: other projects wait for their turns. */
const longestChunkMs = 5 * 60_000;

export interface EvaluatedChanges {
  changes: number;
  added: number;
  removed: number;
  /** Segments that could not be evaluated; they are computed in full later. */
  failed: number;
  hasMore: boolean;
}

/**
 * Evaluates the contacts of a project with due changes, each against the tracked segments that read the changed inputs.
 * A change is deleted once all of them are evaluated, so a repeat after a crash finds nothing to do.
 *
 * @param em outside of a transaction
 * @param budgetMs after this, no further chunk of changes is started
 * @param chunkMs after this, the segments that a chunk has not come to are left to their computation in full
 */
export async function evaluateChanges(
  em: Em,
  projectId: string,
  budgetMs: number,
  signal?: AbortSignal,
  chunkMs = longestChunkMs,
): Promise<EvaluatedChanges> {
  const startedAt = performance.now();
  const result: EvaluatedChanges = { changes: 0, added: 0, removed: 0, failed: 0, hasMore: false };
  let most = firstBatch;
  for (;;) {
    signal?.throwIfAborted();
    const chunk = await readChunk(em, projectId, most);
    if (chunk.length === 0) return { ...result, hasMore: false };
    const touched = groupContacts(chunk);
    const hops = hopsOf(chunk);
    await planTouched(em, projectId, touched, hops);
    const endsAt = performance.now() + chunkMs;
    const slowestMs = await evaluate(em, projectId, { touched, hops, endsAt }, result, signal);
    const sql = 'delete from segment_changes where project_id = $1 and id = any($2::uuid[])';
    await execute(em, sql, [projectId, chunk.map(({ id }) => id)]);
    const contacts = chunk.reduce((sum, { contactIds }) => sum + contactIds.length, 0);
    result.changes += contacts;
    if (contacts < most) return { ...result, hasMore: false };
    most = Math.min(contactsPerChunk, nextBatch(most, contacts, slowestMs));
    if (performance.now() - startedAt > budgetMs) return { ...result, hasMore: true };
  }
}

const changeRow = z.object({
  id: z.uuid(),
  input: z.string(),
  contactIds: z.array(z.uuid()),
  hops: z.int().nullable(),
});
type Change = z.output<typeof changeRow>;

/**
 * At least one row, and more up to `most` contacts. Changes are deleted by id, so a change that commits
 * later stays, wherever it sorts.
 */
async function readChunk(em: Em, projectId: string, most: number): Promise<Change[]> {
  // Of an import, each change has the ids of a thousand contacts, and the statement reads all that it may return.
  const first = await readChanges(em, projectId, most, Math.min(changesAtFirst, most));
  return first.length < changesAtFirst || most <= changesAtFirst
    ? first
    : readChanges(em, projectId, most, most);
}

function readChanges(em: Em, projectId: string, most: number, limit: number): Promise<Change[]> {
  const sql = `select id, input, contact_ids as "contactIds", hops
     from (
       select id, input, contact_ids, hops, sum(cardinality(contact_ids)) over (order by id) as contacts_so_far
       from (
         select id, input, contact_ids, hops from segment_changes
         where project_id = $1 and id <= ${lastUuidAtSql('now()')}
         order by project_id, id limit $2
       ) c
     ) c
     where contacts_so_far - cardinality(contact_ids) < $3`;
  return query(em, changeRow, sql, [projectId, limit, most]);
}

function groupContacts(chunk: readonly Change[]): Touched {
  const touched = new Map<string, Set<string>>();
  for (const { input, contactIds } of chunk) {
    const contacts = touched.get(input) ?? new Set();
    for (const id of contactIds) contacts.add(id);
    touched.set(input, contacts);
  }
  return touched;
}

/** Each contact's highest number of hops: any of its changes may be the one that moves it. */
function hopsOf(chunk: readonly Change[]): HopsOfChanges {
  const most = new Map<string, number>();
  for (const { hops, contactIds } of chunk) {
    if (hops === null) continue;
    for (const id of contactIds) most.set(id, Math.max(hops, most.get(id) ?? 0));
  }
  return most;
}

/** @returns how long its slowest statement took, in milliseconds */
async function evaluate(
  em: Em,
  projectId: string,
  { touched, hops, endsAt }: { touched: Touched; hops: HopsOfChanges; endsAt: number },
  result: EvaluatedChanges,
  signal: AbortSignal | undefined,
): Promise<number> {
  const segments = await listReaders(em, projectId, touched);
  const read = new Set(segments.flatMap(({ inputs }) => inputs));
  if ([...touched.keys()].some((input) => !read.has(input))) await dropUnusedInputs(em, projectId);
  let slowestMs = 0;
  for (const batch of batchSegments(segments, touched)) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    if (startedAt < endsAt) {
      await evaluateBatch(em, projectId, batch, hops, result);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    } else {
      for (const id of batch.bits.keys()) await markStale(em, id);
      result.failed += batch.bits.size;
    }
  }
  return slowestMs;
}

/** A failed batch is evaluated again segment by segment, so that one segment does not hold up the others. */
async function evaluateBatch(
  em: Em,
  projectId: string,
  batch: SegmentBatch,
  hops: HopsOfChanges,
  result: EvaluatedChanges,
) {
  try {
    const { added, removed } = await evaluateSegments(em, projectId, batch, hops);
    result.added += added;
    result.removed += removed;
  } catch {
    const [first, ...others] = batch.bits;
    if (first === undefined) return;
    if (others.length === 0) {
      // While the database is unreachable this fails too, and the changes stay for the next attempt.
      await markStale(em, first[0]);
      result.failed += 1;
      return;
    }
    for (const one of batch.bits) {
      await evaluateBatch(em, projectId, { ...batch, bits: new Map([one]) }, hops, result);
    }
  }
}

const readerRow = z.object({ id: z.uuid(), inputs: z.array(z.string()), filters: z.int() });

/** The tracked dynamic segments of a project that read any of the touched inputs, by id. */
export function listReaders(em: Em, projectId: string, touched: Touched): Promise<Reader[]> {
  const sql = `select s.id, s.inputs, (
       with recursive expanded (filters, refers_to) as (
         select s.filter_count, s.refers_to
         union all
         select r.filter_count, r.refers_to
         from expanded e
         cross join lateral unnest(e.refers_to) i (id)
         join segments r on r.id = i.id and r.project_id = $1
       )
       select sum(filters)::int from expanded) as filters
     from segments s
     where s.project_id = $1 and s.type = 'DYNAMIC' and s.track_membership and s.inputs && $2::text[]
     order by s.id`;
  return query(em, readerRow, sql, [projectId, [...touched.keys()]]);
}
