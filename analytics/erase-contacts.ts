import { z } from 'zod';
import type { ClickHouse } from './clickhouse.ts';
import { countColumn, type Question, zeroUuid } from './client/question.ts';
import { deleteFrom, markProjectChanged, refuseWhileDeleting, restoreNames } from './deletion.ts';
import { eventColumns } from './tables/event.ts';

/** Of a statement. Bounded, because parameters are part of the request's URL. */
export const maxContactsAtOnce = 500;
/** Of the names in a statement. By default, ClickHouse refuses a parameter of more than 128 KiB and a URL of 1 MiB. */
const maxNameBytesAtOnce = 64 * 1024;

const comment = 'erase contacts';
const ofContacts = 'project_id = {projectId:UUID} AND contact_id IN {contactIds:Array(UUID)}';

/** Events of a sent email. They still count for the project, without naming the contact. */
const isOfEmail = `email_id != toUUID('${zeroUuid}') AND name LIKE 'email.%' AND name != 'email.received'`;

const keptData = `concat('{', arrayStringConcat(arrayMap(
    entry -> concat('"', entry.1, '":', entry.2),
    arrayFilter(
      entry -> entry.1 IN {kept:Array(String)},
      JSONExtractKeysAndValuesRaw(data)
    )), ','), '}')`;

/** Has the same key as the row it replaces, so merges and FINAL keep one of the two until the original is deleted. */
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
 * Erases contacts from every table: deletes their events, and event names that only they had. Email events stay for the
 * figures, without the contact and with only part of their data. Idempotent; rows that arrive later need another call.
 *
 * @param contactIds any number
 * @param keptKeys keys kept in the data of email events
 * @throws ClickHouseUnavailable also while an earlier deletion is running; retry later
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
  await clickhouse.command(markProjectChanged, { projectId });
}

async function eraseBatch(
  clickhouse: ClickHouse,
  contacts: ContactParameters,
  kept: readonly string[],
): Promise<void> {
  const found = await clickhouse.query(namesOfContacts, contacts);
  if (found.length === 0) return;
  const { projectId } = contacts;
  const gone: string[][] = [];
  for (const names of portionsOf(found.filter(({ emails }) => emails === 0))) {
    const parameters = { ...contacts, names, limit: names.length };
    const staying = new Set((await clickhouse.query(namesThatStay, parameters)).map(({ name }) => name));
    const goneNames = names.filter((name) => !staying.has(name));
    if (goneNames.length > 0) gone.push(goneNames);
  }
  if (found.some(({ emails }) => emails > 0)) await clickhouse.command(keepEmails, { ...contacts, kept });
  // The names first: if interrupted, the events still cause a retry.
  for (const names of gone) {
    await clickhouse.command(deleteFrom('event_name', ofTheNames, comment), { projectId, names });
  }
  await clickhouse.command(deleteFrom('event', ofContacts, comment), contacts);
  // Another contact may have had an event of such a name in the meantime.
  for (const names of gone) await clickhouse.command(restoreNames(ofTheNames), { projectId, names });
}

function portionsOf(found: readonly { name: string }[]): string[][] {
  const portions: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { name } of found) {
    bytes += Buffer.byteLength(name);
    if (bytes > maxNameBytesAtOnce) {
      portions.push([]);
      bytes = Buffer.byteLength(name);
    }
    portions.at(-1)?.push(name);
  }
  return portions;
}
