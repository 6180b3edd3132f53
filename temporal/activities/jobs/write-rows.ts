import type { BadRow, GoodRow, ImportRow } from '../../../core/contact-import/read-row.ts';
import type { ImportResult } from '../../../core/jobs/results.ts';
import { brokenConstraint, isDataFault, isOverMatchLimit } from '../../../db/database-errors.ts';
import type { Em } from '../../../db/orm.ts';
import { importContactRows } from '../../../db/statements/jobs/import-contacts.ts';

interface Written {
  created: number;
  updated: number;
  rejected: BadRow[];
}

export interface WrittenRows extends Written, Pick<ImportResult, 'totalRows' | 'skipped'> {}

/**
 * Writes rows with the same result as writing them one by one, and counts the outcomes. A row that the database rejects
 * is reported like an unreadable one. Needs a transaction.
 *
 * @throws pg.DatabaseError as `matchLimitSql`
 * @param emails addresses of all rows, and perhaps of others, in the order in which one statement locks contacts
 */
export async function writeRows(
  em: Em,
  projectId: string,
  rows: readonly ImportRow[],
  emails: readonly string[],
): Promise<WrittenRows> {
  const occurredAt = new Date();
  const rejected = rows.filter((row) => !row.ok);
  const result: WrittenRows = { totalRows: rows.length, created: 0, updated: 0, skipped: 0, rejected };
  const byEmail = Map.groupBy(
    rows.filter((row) => row.ok),
    ({ email }) => email,
  );
  // Several statements lock contacts in the order in which one locks them. Rows of a contact keep their order.
  const sorted = emails.flatMap((email) => byEmail.get(email) ?? []);
  for (const group of inStatements(sorted)) {
    const written = await writeGroup(em, projectId, group, occurredAt);
    result.created += written.created;
    result.updated += written.updated;
    result.rejected.push(...written.rejected);
  }
  result.skipped = result.rejected.length;
  result.rejected.sort((a, b) => a.row - b.row);
  return result;
}

/**
 * Maximum rows per statement that set a subscription. For each such row the statement searches the list of all of them,
 * so its cost is quadratic.
 */
const maxSubscriptionRows = 250;

/**
 * Divides sorted rows into groups that can each be written in one statement: rows of the same contact agree about its
 * subscription.
 */
function inStatements(rows: readonly GoodRow[]): GoodRow[][] {
  if (rows.length === 0) return [];
  if (rows.every((row) => row.subscribed === undefined)) return [[...rows]];
  const groups: GoodRow[][] = [];
  let subscriptions = new Map<string, boolean>();
  let group: GoodRow[] = [];
  for (const row of rows) {
    const before = subscriptions.get(row.email);
    const differs = before !== undefined && row.subscribed !== undefined && before !== row.subscribed;
    if (differs || subscriptions.size >= maxSubscriptionRows) {
      groups.push(group);
      group = [];
      subscriptions = new Map();
    }
    group.push(row);
    if (row.subscribed !== undefined) subscriptions.set(row.email, row.subscribed);
  }
  groups.push(group);
  return groups;
}

/** Parts of a group that failed. With two, each row of a group with many faults would be merged three times as often. */
const pieces = 8;

async function writeGroup(em: Em, projectId: string, rows: GoodRow[], occurredAt: Date): Promise<Written> {
  try {
    // Nested, so it is a savepoint: the rest of the batch continues after a failure.
    const created = await em.transactional((nested) =>
      importContactRows(nested, projectId, rows, occurredAt),
    );
    return { created, updated: rows.length - created, rejected: [] };
  } catch (error) {
    if (!isDataFault(error) || isOverMatchLimit(error)) throw error;
    const [row] = rows;
    if (rows.length > 1 || row === undefined) {
      const written: Written = { created: 0, updated: 0, rejected: [] };
      const size = Math.ceil(rows.length / pieces);
      for (let start = 0; start < rows.length; start += size) {
        const piece = await writeGroup(em, projectId, rows.slice(start, start + size), occurredAt);
        written.created += piece.created;
        written.updated += piece.updated;
        written.rejected.push(...piece.rejected);
      }
      return written;
    }
    const message =
      brokenConstraint(error) === 'contacts_data_size'
        ? "The contact's data would have more than 64 KB"
        : "The row can't be stored";
    const { email, cells } = row;
    return { created: 0, updated: 0, rejected: [{ row: row.row, ok: false, email, cells, message }] };
  }
}
