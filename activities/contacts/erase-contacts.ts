import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { eraseContacts } from '../../analytics/erase-contacts.ts';
import { keptEmailData } from '../../core/kept-email-data.ts';
import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import {
  type ContactErasureRecord,
  closeContactErasures,
  haveTransactionsEnded,
  journalContactErasure,
  listContactErasures,
  readDatabaseTime,
} from '../../db/repositories/contacts/contact-erasures.ts';
import { eraseContactTraces } from '../../db/repositories/contacts/delete-contacts.ts';
import { whenStreamed } from '../events/when-streamed.ts';

const erasuresAtOnce = 5_000;
/** Contacts of a transaction: the rows that it locks are those of their emails and executions. */
const contactsAtOnce = 100;
const pollIntervalMs = 200;
/** Only a dump or an analyst has a transaction open for longer; the next run is for those. */
const polls = 300;

/**
 * Erases what happened to contacts that were deleted, in Postgres and in ClickHouse, and what was written for them by
 * transactions that did not see the deletion. Can be cut off and repeated:
 *
 * 1. Whoever may not have seen the deletions has ended, so all that will ever be written for the contacts is there.
 * 2. It goes from Postgres. A row of the journal behind it says so.
 * 3. The journal's reader is past that row: nothing of it can still arrive in ClickHouse, which deletes it now.
 *
 * @param em outside of a transaction
 * @throws Error when step 1 or 3 takes long, ClickHouseUnavailable while ClickHouse is away
 */
export async function eraseDeletedContacts(
  em: Em,
  clickhouse: ClickHouse,
  signal?: AbortSignal,
): Promise<{ contacts: number; events: number }> {
  const result = { contacts: 0, events: 0 };
  for (;;) {
    const erasures = await listContactErasures(em, erasuresAtOnce);
    if (erasures.length === 0) return result;
    await whenSettled(em, signal);
    const byProject = groupByProject(erasures);
    for (const [projectId, contactIds] of byProject) {
      result.events += await eraseTraces(em, projectId, contactIds, signal);
    }
    const markerId = newId();
    await journalContactErasure(em, markerId);
    await whenStreamed(em, markerId, signal);
    for (const [projectId, contactIds] of byProject) {
      await eraseContacts(clickhouse, projectId, contactIds, keptEmailData);
    }
    await closeContactErasures(
      em,
      markerId,
      erasures.map(({ contactId }) => contactId),
    );
    result.contacts += erasures.length;
  }
}

/** Until nobody is at work who began before now. */
async function whenSettled(em: Em, signal: AbortSignal | undefined): Promise<void> {
  const now = await readDatabaseTime(em);
  for (let poll = 0; poll < polls; poll += 1) {
    if (await haveTransactionsEnded(em, now)) return;
    await delay(pollIntervalMs, undefined, { signal });
  }
  throw new Error('A transaction of the database that began before the erasure is still open');
}

function groupByProject(erasures: readonly ContactErasureRecord[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { projectId, contactId } of erasures) {
    const group = groups.get(projectId);
    if (group === undefined) groups.set(projectId, [contactId]);
    else group.push(contactId);
  }
  return groups;
}

async function eraseTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let events = 0;
  for (let at = 0; at < contactIds.length; at += contactsAtOnce) {
    signal?.throwIfAborted();
    events += await eraseContactTraces(em, projectId, contactIds.slice(at, at + contactsAtOnce));
  }
  return events;
}
