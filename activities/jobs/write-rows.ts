import type { ImportRow } from '../../core/contact-import/read-row.ts';
import type { ImportResult } from '../../core/jobs/results.ts';
import { newId } from '../../core/new-id.ts';
import { brokenConstraint, isDataFault } from '../../db/batching/is-rolled-back.ts';
import type { Em } from '../../db/orm.ts';
import type { ContactWrite } from '../../db/repositories/contact-writes.ts';
import { upsertContacts } from '../../db/repositories/write-contacts.ts';

type GoodRow = Extract<ImportRow, { ok: true }>;

interface Written {
  created: number;
  updated: number;
  errors: ImportResult['errors'];
}

/**
 * Writes rows as one after the other would be, and counts what became of them. A row that the database does not take
 * is reported like one that could not be read. To be called in a transaction.
 */
export async function writeRows(
  em: Em,
  projectId: string,
  rows: readonly ImportRow[],
): Promise<ImportResult> {
  const occurredAt = new Date();
  const result: ImportResult = { totalRows: rows.length, created: 0, updated: 0, skipped: 0, errors: [] };
  for (const row of rows) {
    if (!row.ok) result.errors.push({ row: row.row, email: row.email, message: row.message });
  }
  for (const group of inAgreement(rows.filter((row) => row.ok))) {
    const written = await writeGroup(em, projectId, group, occurredAt);
    result.created += written.created;
    result.updated += written.updated;
    result.errors.push(...written.errors);
  }
  result.skipped = result.errors.length;
  result.errors.sort((a, b) => a.row - b.row);
  return result;
}

/** Cuts rows into groups, in order, in each of which the rows of one contact agree about its subscription. */
export function inAgreement(rows: readonly GoodRow[]): GoodRow[][] {
  const groups: GoodRow[][] = [];
  let said = new Map<string, boolean>();
  let group: GoodRow[] = [];
  for (const row of rows) {
    const before = said.get(row.email);
    if (before !== undefined && row.subscribed !== undefined && before !== row.subscribed) {
      groups.push(group);
      group = [];
      said = new Map();
    }
    group.push(row);
    if (row.subscribed !== undefined) said.set(row.email, row.subscribed);
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** Writes one group in one statement; if some row of it is at fault, halves it until that row is alone. */
async function writeGroup(em: Em, projectId: string, rows: GoodRow[], occurredAt: Date): Promise<Written> {
  const writes = rows.map(
    (row): ContactWrite => ({
      projectId,
      email: row.email,
      contactId: newId(),
      subscribed: row.subscribed,
      patch: row.data,
      flipId: newId(),
      occurredAt,
    }),
  );
  try {
    // Nested, so a savepoint: the rest of the batch goes on after a failure.
    const contacts = await em.transactional((nested) => upsertContacts(nested, writes));
    const created = contacts.filter((contact) => contact.isNew).length;
    return { created, updated: rows.length - created, errors: [] };
  } catch (error) {
    if (!isDataFault(error)) throw error;
    const [row] = rows;
    if (rows.length > 1 || row === undefined) {
      const middle = Math.ceil(rows.length / 2);
      const first = await writeGroup(em, projectId, rows.slice(0, middle), occurredAt);
      const second = await writeGroup(em, projectId, rows.slice(middle), occurredAt);
      return {
        created: first.created + second.created,
        updated: first.updated + second.updated,
        errors: [...first.errors, ...second.errors],
      };
    }
    const message =
      brokenConstraint(error) === 'contacts_data_size'
        ? "The contact's data would have more than 64 KB"
        : 'The row can not be stored';
    return { created: 0, updated: 0, errors: [{ row: row.row, email: row.email, message }] };
  }
}
