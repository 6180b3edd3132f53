import type { Em } from '../../orm.ts';
import type { Scan } from '../../scan-page.ts';
import { query } from '../../sql.ts';
import { contactFilterSql, needsScan } from './contact-filter.ts';
import { type ContactPosition, orderSql, sideSql } from './contact-order.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';
import { findAddresses } from './find-addresses.ts';
import { type ContactSearch, scanContacts } from './scan-contacts.ts';

/**
 * A keyset page of contacts. When no index serves the filter, it scans at most `perScan` contacts; only a search for
 * part of an address that few contacts have covers the whole project.
 */
export async function listContacts(
  em: Em,
  search: ContactSearch,
  limit: number,
  perScan?: number,
): Promise<Scan<ContactRow, ContactPosition>> {
  const { projectId, filter } = search;
  if (!needsScan(filter)) return { rows: await readPage(em, search, limit), scannedUntil: undefined };
  const found = await scanContacts(em, search, limit, perScan);
  if (found.scannedUntil === undefined || filter.search === undefined) return found;
  const emails = await findAddresses(em, projectId, filter.search);
  if (emails === undefined) return found;
  return { rows: await readPage(em, search, limit, emails), scannedUntil: undefined };
}

/** @param emails are looked up before sorting; otherwise the planner would scan the project in order */
function readPage(
  em: Em,
  { projectId, filter, order, after }: ContactSearch,
  limit: number,
  emails?: readonly string[],
): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(projectId, filter, emails);
  const behind = sideSql(order, 'behind', after, parameters);
  const matches = `contacts c where ${where}${behind}`;
  parameters.push(limit);
  const sql = `select ${contactColumns} from ${emails === undefined ? matches : `(select * from ${matches} offset 0) c`}
     ${orderSql(order)} limit $${parameters.length}`;
  return query(em, contactRow, sql, parameters);
}
