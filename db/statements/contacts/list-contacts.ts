import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { contactFilterSql, needsScan } from './contact-filter.ts';
import { type ContactPosition, orderSql, sideSql } from './contact-order.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';
import { findAddresses } from './find-addresses.ts';
import { type ContactSearch, lookForContacts } from './look-for-contacts.ts';

export interface ContactsFound {
  contacts: ContactRow[];
  /** The last contact that was looked at, when there are more to look at beyond a page that is not full. */
  lookedUntil: ContactPosition | undefined;
}

/**
 * A keyset page of contacts. When no index serves the filter, it looks at no more than `perLook` of them; only a search
 * for an address that few have finds those anywhere.
 */
export async function listContacts(
  em: Em,
  search: ContactSearch,
  limit: number,
  perLook?: number,
): Promise<ContactsFound> {
  const { projectId, filter } = search;
  if (!needsScan(filter)) return { contacts: await readPage(em, search, limit), lookedUntil: undefined };
  const { found, end } = await lookForContacts(em, search, limit, perLook);
  if (end === undefined || found.length === limit) return { contacts: found, lookedUntil: undefined };
  const emails = filter.search === undefined ? undefined : await findAddresses(em, projectId, filter.search);
  if (emails === undefined) return { contacts: found, lookedUntil: end };
  return { contacts: await readPage(em, search, limit, emails), lookedUntil: undefined };
}

/** @param emails are looked up before sorting: the planner would read the project in order until it meets enough */
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
