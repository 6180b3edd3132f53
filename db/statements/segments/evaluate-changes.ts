import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isLockTimeout } from '../../database-errors.ts';
import { lastUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import { isTooMany, longestStatementMs } from '../../limit-statements.ts';
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
/** Most contacts in the first chunk of a project's turn: their cost may have changed since the last turn. */
const mostAtFirst = 200;
/** Contacts in the next chunk of a project. A slow chunk ends its turn. */
const nextChunks = new LRUCache<string, number>({ max: 1_000 });
/** A chunk may take about this many times the usual duration of a statement: the length of a turn. */
const statementsPerTurn = 5;
/** For evaluating a chunk. The segments left then are computed in full, because other projects wait for their turns. */
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
 * Evaluates the contacts of a project with due changes, each against the tracked segments that read the changed inputs:
 * see the example in docs/decisions/0015-segment-rounds.md. A change is deleted once all of them are evaluated, so a
 * repeat after a crash finds nothing to do.
 *
 * @param em outside of a transaction
 * @param budgetMs after this, no further chunk of changes is started
 * @param chunkMs after this, the segments that a chunk has not come to are left to their computation in full
 * @param longestMs of a statement. A turn in which one takes longer ends, and the next one begins with fewer contacts
 */
export async function evaluateChanges(
  em: Em,
  projectId: string,
  budgetMs: number,
  signal?: AbortSignal,
  chunkMs = longestChunkMs,
  longestMs = longestStatementMs,
): Promise<EvaluatedChanges> {
  const startedAt = performance.now();
  const result: EvaluatedChanges = { changes: 0, added: 0, removed: 0, failed: 0, hasMore: false };
  let most = Math.min(mostAtFirst, nextChunks.get(projectId) ?? firstBatch);
  for (;;) {
    signal?.throwIfAborted();
    const { chunk, rest } = await readChunk(em, projectId, most);
    if (chunk.length === 0) return { ...result, hasMore: false };
    const touched = groupContacts(chunk);
    const hops = hopsOf(chunk);
    await planTouched(em, projectId, touched, hops);
    const chunkStartedAt = performance.now();
    const endsAt = chunkStartedAt + chunkMs;
    const slowestMs = await evaluate(em, projectId, { touched, hops, endsAt, longestMs }, result, signal);
    const contacts = chunk.reduce((sum, { contactIds }) => sum + contactIds.length, 0);
    if (slowestMs === 'too many') {
      nextChunks.set(projectId, nextBatch(most, contacts, longestStatementMs));
      return { ...result, hasMore: true };
    }
    await removeChunk(em, projectId, chunk, rest);
    result.changes += contacts;
    const isLast = contacts < most;
    const chunkTookMs = performance.now() - chunkStartedAt;
    const paceMs = Math.max(slowestMs, chunkTookMs / statementsPerTurn);
    most = Math.min(contactsPerChunk, nextBatch(most, contacts, paceMs));
    nextChunks.set(projectId, most);
    if (isLast) return { ...result, hasMore: false };
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
 * Changes of up to `most` contacts. The last one may be part of a row, of an import for example, whose other contacts are
 * the rest.
 */
async function readChunk(em: Em, projectId: string, most: number) {
  // Of an import, each change has the ids of a thousand contacts, and the statement reads all that it may return.
  const first = await readChanges(em, projectId, most, Math.min(changesAtFirst, most));
  const chunk =
    first.length < changesAtFirst || most <= changesAtFirst
      ? first
      : await readChanges(em, projectId, most, most);
  const last = chunk.at(-1);
  const before = chunk.slice(0, -1).reduce((sum, { contactIds }) => sum + contactIds.length, 0);
  const rest = last?.contactIds.slice(most - before) ?? [];
  if (last === undefined || rest.length === 0) return { chunk, rest };
  return { chunk: chunk.with(-1, { ...last, contactIds: last.contactIds.slice(0, most - before) }), rest };
}

/**
 * By id, so a change that commits later stays, wherever it sorts. Of two turns that run at once, the slower one leaves
 * contacts that the other has evaluated too, and never fewer.
 */
async function removeChunk(em: Em, projectId: string, chunk: readonly Change[], rest: readonly string[]) {
  const ids = chunk.map(({ id }) => id);
  const partly = rest.length > 0 ? ids.pop() : undefined;
  const removeSql = 'delete from segment_changes where project_id = $1 and id = any($2::uuid[])';
  await execute(em, removeSql, [projectId, ids]);
  if (partly === undefined) return;
  const keepSql = 'update segment_changes set contact_ids = $3::uuid[] where project_id = $1 and id = $2';
  await execute(em, keepSql, [projectId, partly, rest]);
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

/** The highest number of hops of each contact: each of its changes may be the one that moves it. */
function hopsOf(chunk: readonly Change[]): HopsOfChanges {
  const most = new Map<string, number>();
  for (const { hops, contactIds } of chunk) {
    if (hops === null) continue;
    for (const id of contactIds) most.set(id, Math.max(hops, most.get(id) ?? 0));
  }
  return most;
}

interface Chunk {
  touched: Touched;
  hops: HopsOfChanges;
  endsAt: number;
  longestMs: number;
}

/** @returns how long its slowest statement took, in milliseconds; `too many` when one was ended */
async function evaluate(
  em: Em,
  projectId: string,
  chunk: Chunk,
  result: EvaluatedChanges,
  signal: AbortSignal | undefined,
): Promise<number | 'too many'> {
  const { touched, endsAt } = chunk;
  const segments = await listReaders(em, projectId, touched);
  const read = new Set(segments.flatMap(({ inputs }) => inputs));
  if ([...touched.keys()].some((input) => !read.has(input))) await dropUnusedInputs(em, projectId);
  let slowestMs = 0;
  for (const batch of batchSegments(segments, touched)) {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    if (startedAt < endsAt) {
      if (!(await evaluateBatch(em, projectId, batch, chunk, result))) return 'too many';
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    } else {
      for (const id of batch.bits.keys()) await markStale(em, id);
      result.failed += batch.bits.size;
    }
  }
  return slowestMs;
}

/**
 * A failed batch is evaluated again segment by segment, so that one segment does not hold up the others.
 *
 * @returns false when it has more contacts than its statement has time for
 */
async function evaluateBatch(
  em: Em,
  projectId: string,
  batch: SegmentBatch,
  chunk: Chunk,
  result: EvaluatedChanges,
): Promise<boolean> {
  try {
    const { added, removed } = await evaluateSegments(em, projectId, batch, chunk.hops, chunk.longestMs);
    result.added += added;
    result.removed += removed;
    return true;
  } catch (error) {
    if (isTooMany(error, batch.contacts.size)) return false;
    // The changes stay for the next attempt: each segment alone would wait for the same lock.
    if (isLockTimeout(error)) throw error;
    const [first, ...others] = batch.bits;
    if (first === undefined) return true;
    if (others.length === 0) {
      // While the database is unreachable this fails too, and the changes stay for the next attempt.
      await markStale(em, first[0]);
      result.failed += 1;
      return true;
    }
    for (const one of batch.bits) {
      const alone = { ...batch, bits: new Map([one]) };
      if (!(await evaluateBatch(em, projectId, alone, chunk, result))) return false;
    }
    return true;
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
