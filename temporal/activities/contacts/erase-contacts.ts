import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { eraseContacts } from '../../../analytics/erase-contacts.ts';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import { newId } from '../../../core/new-id.ts';
import { ContactErasure } from '../../../db/entities/contact.ts';
import { Event } from '../../../db/entities/event.ts';
import type { Em } from '../../../db/orm.ts';
import { readClock } from '../../../db/read-clock.ts';
import {
  type DueErasure,
  eraseContactTraces,
  findErasures,
  haveTransactionsEnded,
} from '../../../db/statements/contacts/contact-erasures.ts';
import { writeJournalMarker } from '../../../db/statements/events/journal-marker.ts';
import { whenStreamed } from '../events/when-streamed.ts';

const erasuresAtOnce = 5_000;
/** Contacts per transaction, which locks all of their emails and executions. */
const contactsAtOnce = 100;
const pollIntervalMs = 200;
/** Only a dump or an analyst keeps a transaction open for longer; the next run retries. */
const polls = 300;
/** Each run writes its own marker, so a stream that always lags a few seconds must not make every run fail. */
const streamLimitMs = 120_000;
/** By then an insert has ended that ClickHouse was still running for a reader that lost its lease. */
const secondPassAfterMs = 5 * 60 * 1000;

/**
 * Erases the traces of deleted contacts in Postgres and ClickHouse, including rows written by transactions that did not
 * see the deletion. Idempotent; safe to interrupt anywhere:
 *
 * 1. Wait for transactions that may not have seen the deletions, so that nothing more is written for these
 *    contacts.
 * 2. Delete the traces in Postgres and write a marker row to the journal.
 * 3. Wait until the journal's reader has passed the marker, and delete in ClickHouse.
 * 4. A later run does the same once more, because an insert of a reader that lost its lease may have been in progress
 *    in ClickHouse.
 *
 * @param em outside of a transaction
 * @param signal aborts its waits, and stops it between two transactions
 * @returns contacts whose first pass is complete, and their events in Postgres
 * @throws Error when step 1 or 3 takes too long, ClickHouseUnavailable when ClickHouse is unreachable
 */
export async function eraseDeletedContacts(
  em: Em,
  clickhouse: ClickHouse,
  signal: AbortSignal,
): Promise<{ contacts: number; events: number }> {
  const result = { contacts: 0, events: 0 };
  for (;;) {
    const passedBefore = new Date((await readClock(em)).getTime() - secondPassAfterMs);
    const erasures = await findErasures(em, passedBefore, erasuresAtOnce);
    if (erasures.length === 0) return result;
    await whenSettled(em, signal);
    const byProject = Map.groupBy(erasures, ({ projectId }) => projectId);
    for (const [projectId, own] of byProject) {
      result.events += await eraseTraces(em, projectId, idsOf(own), signal);
    }
    const markerId = newId();
    await writeJournalMarker(em, { id: markerId, name: 'contacts.erased' });
    try {
      await whenStreamed(em, markerId, { signal, limitMs: streamLimitMs });
      for (const [projectId, own] of byProject) {
        await eraseContacts(clickhouse, projectId, idsOf(own), keptEmailData);
        // Project by project, so that a run that ends early has made progress.
        result.contacts += await notePass(em, own);
      }
    } finally {
      // The next run writes its own.
      await em.fork().nativeDelete(Event, { id: markerId });
    }
  }
}

async function whenSettled(em: Em, signal: AbortSignal): Promise<void> {
  const now = await readClock(em);
  for (let poll = 0; poll < polls; poll += 1) {
    if (await haveTransactionsEnded(em, now)) return;
    await delay(pollIntervalMs, undefined, { signal });
  }
  throw new Error('A database transaction that began before the erasure is still open');
}

/** @returns how many passed for the first time */
async function notePass(em: Em, erasures: readonly DueErasure[]): Promise<number> {
  const passedAt = await readClock(em);
  const [again, first] = [erasures.filter((one) => one.passedAt), erasures.filter((one) => !one.passedAt)];
  await em.fork().nativeUpdate(ContactErasure, { contactId: { $in: idsOf(first) } }, { passedAt });
  await em.fork().nativeDelete(ContactErasure, { contactId: { $in: idsOf(again) } });
  return first.length;
}

const idsOf = (erasures: readonly DueErasure[]) => erasures.map(({ contactId }) => contactId);

async function eraseTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let events = 0;
  for (let at = 0; at < contactIds.length; at += contactsAtOnce) {
    signal.throwIfAborted();
    events += await eraseContactTraces(em, projectId, contactIds.slice(at, at + contactsAtOnce), signal);
  }
  return events;
}
