import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { type Scan, scanPage } from '../../scan-page.ts';
import { query, queryFirst, queryValue } from '../../sql.ts';
import { type ContactFilter, contactFilterSql, indexedSql } from './contact-filter.ts';
import { type ContactOrder, type ContactPosition, orderSql, sideSql } from './contact-order.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';

/** Contacts scanned by one call, in some 15 ms. */
export const contactsPerScan = 20_000;

export interface ContactSearch {
  projectId: string;
  filter: ContactFilter;
  order: ContactOrder;
  after: ContactPosition | undefined;
}

/** The first `limit` matches among the next `perScan` contacts of the order. */
export function scanContacts(
  em: Em,
  search: ContactSearch,
  limit: number,
  perScan = contactsPerScan,
): Promise<Scan<ContactRow, ContactPosition>> {
  const read = (end: ContactPosition | undefined) => {
    const { where, parameters } = scanSql(search, end);
    parameters.push(limit);
    const text = `select ${contactColumns} from contacts c where ${where} ${orderSql(search.order)} limit $${parameters.length}`;
    return query(em, contactRow, text, parameters);
  };
  return scanPage(limit, () => findEnd(em, search, perScan), read);
}

export interface ContactsCounted {
  count: number;
  /** The last contact scanned, if there are more to count. */
  scannedUntil: ContactPosition | undefined;
}

/** Counts the matches among the next `perScan` contacts of the order. */
export async function countInScan(
  em: Em,
  search: ContactSearch,
  perScan = contactsPerScan,
): Promise<ContactsCounted> {
  const end = await findEnd(em, search, perScan);
  const { where, parameters } = scanSql(search, end);
  const text = `select count(*)::int from contacts c where ${where}`;
  return { count: await queryValue(em, z.int(), text, parameters), scannedUntil: end };
}

function scanSql({ projectId, filter, order, after }: ContactSearch, end: ContactPosition | undefined) {
  const { where, parameters } = contactFilterSql(projectId, filter);
  const behind = sideSql(order, 'behind', after, parameters);
  return { where: `${where}${behind}${sideSql(order, 'upTo', end, parameters)}`, parameters };
}

/** Position of the last of the next `perScan` contacts, from an index alone; undefined when there are fewer. */
async function findEnd(
  em: Em,
  { projectId, filter, order, after }: ContactSearch,
  perScan: number,
): Promise<ContactPosition | undefined> {
  const parameters: unknown[] = [projectId, perScan - 1];
  const next = (columns: string) =>
    `select ${columns} from contacts c where ${indexedSql(filter, order)}${sideSql(order, 'behind', after, parameters)}
     ${orderSql(order)} offset $2 limit 1`;
  if (order.by === 'createdAt') {
    const row = z.object({ at: z.date(), id: z.uuid() });
    const last = await queryFirst(em, row, next('created_at as at, id'), parameters);
    return last && { value: last.at.toISOString(), id: last.id };
  }
  const sql = `select email as value, id from contacts where project_id = $1 and email = (${next('email')})`;
  return queryFirst(em, z.object({ value: z.string(), id: z.uuid() }), sql, parameters);
}
