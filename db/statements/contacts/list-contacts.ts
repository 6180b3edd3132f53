import type { Look } from '../../look-for-page.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { contactFilterSql, needsScan } from './contact-filter.ts';
import { type ContactPosition, orderSql, sideSql } from './contact-order.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';
import { findAddresses } from './find-addresses.ts';
import { type ContactSearch, lookForContacts } from './look-for-contacts.ts';

/**
 * A keyset page of contacts. When no index serves the filter, it looks at no more than `perLook` of them; only a search
 * for an address that few have finds those anywhere.
 */
export async function listContacts(
  em: Em,
  search: ContactSearch,
  limit: number,
  perLook?: number,
): Promise<Look<ContactRow, ContactPosition>> {
  const { projectId, filter } = search;
  if (!needsScan(filter)) return { rows: await readPage(em, search, limit), lookedUntil: undefined };
  const found = await lookForContacts(em, search, limit, perLook);
  if (found.lookedUntil === undefined || filter.search === undefined) return found;
  const emails = await findAddresses(em, projectId, filter.search);
  if (emails === undefined) return found;
  return { rows: await readPage(em, search, limit, emails), lookedUntil: undefined };
}

/** @param emails are looked up before sorting; otherwise the planner scans the project in order */
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
  return query(
    em,
    contactRow,
    `select ${contactColumns} from ${emails === undefined ? matches : `(select * from ${matches} offset 0) c`}
     ${orderSql(order)} limit $${parameters.length}`,
    parameters,
  );
}
