import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { deleteFrom, refuseWhileDeleting, restoreNames } from './deletion.ts';
import { countColumn, type Question, zeroUuid } from './question.ts';
import { eventColumns } from './tables/event.ts';

/** A server takes parameters from the address of a request, which is not to grow without bound. */
const maxContactsAtOnce = 500;

const comment = 'erase contacts';
const ofContacts = 'project_id = {projectId:UUID} AND contact_id IN {contactIds:Array(UUID)}';

/** SQL: what happened to an email that was sent. It tells the project something without telling of whom. */
const isOfEmail = `email_id != toUUID('${zeroUuid}') AND name LIKE 'email.%' AND name != 'email.received'`;

const keptData = `concat('{', arrayStringConcat(arrayMap(
    entry -> concat('"', entry.1, '":', entry.2),
    arrayFilter(
      entry -> entry.1 IN {kept:Array(String)},
      JSONExtractKeysAndValuesRaw(data)
    )), ','), '}')`;

/** The same key as the row that it stands for, so that merges and FINAL keep one of them until that is deleted. */
const keepEmails = `
INSERT INTO event (${eventColumns.join(', ')})
SELECT ${eventColumns.map((column) => (column === 'contact_id' ? `toUUID('${zeroUuid}')` : column === 'data' ? keptData : column)).join(', ')}
FROM event
WHERE ${ofContacts} AND ${isOfEmail}
SETTINGS async_insert = 0, insert_deduplicate = 0, max_partitions_per_insert_block = 0, log_comment = '${comment}'`;

type ContactParameters = { projectId: string; contactIds: readonly string[] };

const namesOfContacts: Question<ContactParameters, { name: string; emails: number }> = {
  name: 'event-names-of-contacts',
  sql: `SELECT name, countIf(${isOfEmail}) AS emails FROM event WHERE ${ofContacts} GROUP BY name`,
  row: z.object({ name: z.string(), emails: countColumn }),
  timeoutMs: 120_000,
};

type NameParameters = ContactParameters & { names: readonly string[]; limit: number };

const namesThatStay: Question<NameParameters, { name: string }> = {
  name: 'event-names-that-stay',
  sql: `
SELECT DISTINCT name
FROM event
WHERE project_id = {projectId:UUID} AND name IN {names:Array(String)} AND NOT (${ofContacts})
LIMIT {limit:UInt32}`,
  row: z.object({ name: z.string() }),
  timeoutMs: 120_000,
};

const ofTheNames = 'project_id = {projectId:UUID} AND name IN {names:Array(String)}';

/**
 * Takes contacts out of every table: their events go, and names that only they had. What happened to emails stays for
 * the figures, without the contact and with little of its data. Rows with other contacts are not touched. Can be
 * repeated at any time; what arrives later has to be erased by another call.
 *
 * @param contactIds any number; none does nothing.
 * @param keptKeys of the data of an email's events
 * @throws ClickHouseUnavailable also while an earlier deletion is not finished; repeat the call then
 */
export async function eraseContacts(
  clickhouse: ClickHouse,
  projectId: string,
  contactIds: readonly string[],
  keptKeys: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  await refuseWhileDeleting(clickhouse);
  for (let done = 0; done < contactIds.length; done += maxContactsAtOnce) {
    const batch = contactIds.slice(done, done + maxContactsAtOnce);
    await eraseBatch(clickhouse, { projectId, contactIds: batch }, keptKeys);
  }
}

async function eraseBatch(
  clickhouse: ClickHouse,
  contacts: ContactParameters,
  kept: readonly string[],
): Promise<void> {
  const found = await clickhouse.query(namesOfContacts, contacts);
  if (found.length === 0) return;
  const names = found.filter(({ emails }) => emails === 0).map(({ name }) => name);
  const parameters = { ...contacts, names, limit: names.length };
  const staying = new Set(
    names.length === 0 ? [] : (await clickhouse.query(namesThatStay, parameters)).map(({ name }) => name),
  );
  const gone = names.filter((name) => !staying.has(name));
  const goneNames = { projectId: contacts.projectId, names: gone };
  if (found.some(({ emails }) => emails > 0)) {
    await clickhouse.command(keepEmails, { ...contacts, kept });
  }
  // The names first: should this be cut off, the events still say that it has to be done.
  if (gone.length > 0) await clickhouse.command(deleteFrom('event_name', ofTheNames, comment), goneNames);
  await clickhouse.command(deleteFrom('event', ofContacts, comment), contacts);
  // Another contact may have had an event of such a name meanwhile.
  if (gone.length > 0) await clickhouse.command(restoreNames(ofTheNames), goneNames);
}
