import { z } from 'zod';
import { type Look, lookForPage } from '../../look-for-page.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { type ContactFilter, contactFilterSql, indexedSql } from './contact-filter.ts';
import { type ContactOrder, type ContactPosition, orderSql, sideSql } from './contact-order.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';

/** Contacts that one call looks at: some 15 ms. */
export const contactsPerLook = 20_000;

export interface ContactSearch {
  projectId: string;
  filter: ContactFilter;
  order: ContactOrder;
  after: ContactPosition | undefined;
}

/** The first `limit` matches among the next `perLook` contacts of the order. */
export function lookForContacts(
  em: Em,
  search: ContactSearch,
  limit: number,
  perLook = contactsPerLook,
): Promise<Look<ContactRow, ContactPosition>> {
  const read = (end: ContactPosition | undefined) => {
    const { where, parameters } = lookSql(search, end);
    parameters.push(limit);
    const text = `select ${contactColumns} from contacts c where ${where} ${orderSql(search.order)} limit $${parameters.length}`;
    return query(em, contactRow, text, parameters);
  };
  return lookForPage(limit, () => findEnd(em, search, perLook), read);
}

export interface ContactsCounted {
  count: number;
  /** The last contact that was looked at, when there are more to count. */
  lookedUntil: ContactPosition | undefined;
}

/** Counts the matches among the next `perLook` contacts of the order. */
export async function countInLook(
  em: Em,
  search: ContactSearch,
  perLook = contactsPerLook,
): Promise<ContactsCounted> {
  const end = await findEnd(em, search, perLook);
  const { where, parameters } = lookSql(search, end);
  const row = z.object({ count: z.int() });
  const text = `select count(*)::int as count from contacts c where ${where}`;
  const [counted] = await query(em, row, text, parameters);
  return { count: counted?.count ?? 0, lookedUntil: end };
}

function lookSql({ projectId, filter, order, after }: ContactSearch, end: ContactPosition | undefined) {
  const { where, parameters } = contactFilterSql(projectId, filter);
  const behind = sideSql(order, 'behind', after, parameters);
  return { where: `${where}${behind}${sideSql(order, 'upTo', end, parameters)}`, parameters };
}

/** Through an index alone: where the next `perLook` contacts end; undefined when there are fewer. */
async function findEnd(
  em: Em,
  { projectId, filter, order, after }: ContactSearch,
  perLook: number,
): Promise<ContactPosition | undefined> {
  const parameters: unknown[] = [projectId, perLook - 1];
  const next = (columns: string) =>
    `select ${columns} from contacts c where ${indexedSql(filter, order)}${sideSql(order, 'behind', after, parameters)}
     ${orderSql(order)} offset $2 limit 1`;
  if (order.by === 'createdAt') {
    const row = z.object({ at: z.date(), id: z.uuid() });
    const [last] = await query(em, row, next('created_at as at, id'), parameters);
    return last && { value: last.at.toISOString(), id: last.id };
  }
  const [last] = await query(
    em,
    z.object({ value: z.string(), id: z.uuid() }),
    `select email as value, id from contacts where project_id = $1 and email = (${next('email')})`,
    parameters,
  );
  return last;
}
