import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { ClickHouseTimedOut, ClickHouseUnavailable } from '../../../analytics/client/errors.ts';
import { eraseContacts, maxContactsAtOnce } from '../../../analytics/erase-contacts.ts';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import { newId } from '../../../core/new-id.ts';
import { waitUntil } from '../../../core/pause.ts';
import { isDatabaseAway } from '../../../db/database-away.ts';
import { Event } from '../../../db/entities/event.ts';
import type { Em } from '../../../db/orm.ts';
import { readClock } from '../../../db/read-clock.ts';
import {
  type DueErasure,
  type ErasurePart,
  eraseContactTraces,
  findErasures,
  haveTransactionsEnded,
  noteCleared,
  notePass,
} from '../../../db/statements/contacts/contact-erasures.ts';
import { writeJournalMarker } from '../../../db/statements/events/journal-marker.ts';
import { hasNeverStreamed, whenStreamed } from '../events/when-streamed.ts';

const erasuresAtOnce = 5_000;
/** Contacts per transaction, which locks all of their emails and executions. */
const contactsAtOnce = 100;
const pollIntervalMs = 200;
/** Only a dump or an analyst keeps a transaction open for longer; the next run retries. */
const longestTransactionMs = 60_000;
/** Each run writes its own marker, so a stream that always lags a few seconds must not make every run fail. */
const streamLimitMs = 120_000;
/** By then an insert has ended that ClickHouse was still running for a reader that lost its lease. */
const secondPassAfterMs = 5 * 60 * 1000;

/** The rest is left to the next run: after five minutes the activity ends. */
const runMs = 3 * 60_000;

interface Run {
  em: Em;
  clickhouse: ClickHouse;
  signal: AbortSignal;
  endsAt: number;
  result: { contacts: number; events: number };
  /** By part, the projects whose erasure failed, with the error: the part leaves them out for the rest of the run. */
  failed: Record<ErasurePart, Map<string, unknown>>;
  failedBefore: ReadonlySet<string>;
}

/**
 * Erases the traces of deleted contacts in Postgres and ClickHouse, including rows written by transactions that did not
 * see the deletion. Idempotent; safe to interrupt anywhere:
 *
 * 1. Wait for transactions that may not have seen the deletions, so that nothing more is written for these contacts.
 * 2. Delete the traces in Postgres.
 * 3. Write a marker row to the journal, wait until the journal's reader has passed it, and delete in ClickHouse.
 * 4. A later run does the same once more, because an insert of a reader that lost its lease may have been in progress
 *    in ClickHouse.
 *
 * Takes turns between slices of steps 1 and 2 and slices of step 3. Once one of the two fails, it goes on with the other
 * alone: an outage of ClickHouse holds up nothing in Postgres, nor a long transaction anything in ClickHouse. A project
 * whose traces can't be deleted holds up no other.
 *
 * @param em outside of a transaction
 * @param signal aborts its waits, and stops it between two transactions
 * @param failedBefore projects whose erasure failed in the run before, which come last: two that fail slowly would take
 * the time of every run. Replaced by those of this run
 * @returns contacts whose first pass is complete, and events erased in Postgres
 * @throws the first failure, after the rest is done: an Error when step 1 or 3 takes too long, ClickHouseUnavailable when ClickHouse is unreachable
 */
export async function eraseDeletedContacts(
  em: Em,
  clickhouse: ClickHouse,
  signal: AbortSignal,
  failedBefore = new Set<string>(),
): Promise<{ contacts: number; events: number }> {
  const failed = { postgres: new Map<string, unknown>(), clickhouse: new Map<string, unknown>() };
  const endsAt = performance.now() + runMs;
  const result = { contacts: 0, events: 0 };
  const run: Run = { em, clickhouse, signal, endsAt, result, failed, failedBefore: new Set(failedBefore) };
  const failures: unknown[] = [];
  const parts = new Set([eraseInPostgres, eraseInClickHouse]);
  let erased: number;
  do {
    erased = 0;
    for (const erase of parts) {
      try {
        erased += await erase(run);
      } catch (error) {
        if (signal.aborted) throw error;
        failures.push(error);
        parts.delete(erase);
      }
    }
  } while (erased > 0 && !isOver(run));
  failedBefore.clear();
  for (const projectId of [...failed.postgres.keys(), ...failed.clickhouse.keys()])
    failedBefore.add(projectId);
  const all = [...failures, ...failed.postgres.values(), ...failed.clickhouse.values()];
  if (all.length > 0) throw all[0];
  return run.result;
}

/** @returns the erasures of the slice; 0 when none is due */
async function eraseInPostgres(run: Run): Promise<number> {
  const { em, signal, result } = run;
  const passedBefore = await readLatestPass(em);
  const erasures = await findSlice(run, 'postgres', passedBefore);
  if (erasures.length === 0) return 0;
  await whenSettled(em, signal);
  await inTurns(run, 'postgres', erasures, contactsAtOnce, async (projectId, batch) => {
    const contactIds = idsOf(batch);
    result.events += await eraseContactTraces(em, projectId, contactIds, signal);
    await noteCleared(em, contactIds, passedBefore);
  });
  return erasures.length;
}

/** @returns the erasures of the slice; 0 when none is due */
async function eraseInClickHouse(run: Run): Promise<number> {
  const { em, clickhouse, signal, result } = run;
  const erasures = await findSlice(run, 'clickhouse', await readLatestPass(em));
  if (erasures.length === 0) return 0;
  if (await hasNeverStreamed(em, clickhouse)) {
    result.contacts += await notePass(em, erasures);
    return erasures.length;
  }
  // Without it, each run of an outage would wait for the stream.
  if (!(await clickhouse.ping())) throw new ClickHouseUnavailable('ClickHouse does not answer');
  const markerId = newId();
  await writeJournalMarker(em, { id: markerId, name: 'contacts.erased' });
  try {
    await whenStreamed(em, markerId, { signal, limitMs: streamLimitMs });
    await inTurns(run, 'clickhouse', erasures, maxContactsAtOnce, async (projectId, batch) => {
      await eraseContacts(clickhouse, projectId, idsOf(batch), keptEmailData);
      result.contacts += await notePass(em, batch);
    });
  } finally {
    // The next run writes its own.
    await em.fork().nativeDelete(Event, { id: markerId });
  }
  return erasures.length;
}

/** The first pass of an erasure has to have ended before it for the second one. */
const readLatestPass = async (em: Em) => new Date((await readClock(em)).getTime() - secondPassAfterMs);

async function whenSettled(em: Em, signal: AbortSignal): Promise<void> {
  const now = await readClock(em);
  const haveEnded = () => haveTransactionsEnded(em, now);
  if (await waitUntil(haveEnded, pollIntervalMs, longestTransactionMs, signal)) return;
  throw new Error('A database transaction that began before the erasure is still open');
}

const idsOf = (erasures: readonly DueErasure[]) => erasures.map(({ contactId }) => contactId);

const findSlice = ({ em, failed }: Run, part: ErasurePart, passedBefore: Date) =>
  findErasures(em, part, passedBefore, erasuresAtOnce, [...failed[part].keys()]);

const isOutage = (error: unknown) =>
  isDatabaseAway(error) ||
  // A question at its time limit says only that the project has much.
  (error instanceof ClickHouseUnavailable && !(error instanceof ClickHouseTimedOut));

const isOver = ({ endsAt }: Run) => performance.now() >= endsAt;

/**
 * Takes a batch of each project in turn, so that one whose batches take long leaves time to the others, and a run that
 * ends early has made progress. Notes projects that fail. Stops when the run is over.
 *
 * @throws an outage, and when the run is aborted
 */
async function inTurns(
  run: Run,
  part: ErasurePart,
  erasures: readonly DueErasure[],
  batchSize: number,
  erase: (projectId: string, batch: DueErasure[]) => Promise<void>,
): Promise<void> {
  const byProject = [...Map.groupBy(erasures, ({ projectId }) => projectId)];
  // Those with few first: a deletion that ClickHouse takes long for keeps it from others until it has ended.
  const hasFailed = (projectId: string) => Number(run.failedBefore.has(projectId));
  const waiting = byProject.sort(
    ([oneId, one], [otherId, other]) => hasFailed(oneId) - hasFailed(otherId) || one.length - other.length,
  );
  for (const project of waiting) {
    const [projectId, own] = project;
    run.signal.throwIfAborted();
    try {
      await erase(projectId, own.splice(0, batchSize));
      // The loop comes to it after the others.
      if (own.length > 0) waiting.push(project);
    } catch (error) {
      if (run.signal.aborted || isOutage(error)) throw error;
      run.failed[part].set(projectId, error);
    }
    if (isOver(run)) return;
  }
}
