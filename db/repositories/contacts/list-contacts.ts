import type { ContactRow } from '../../entities/contact.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { type ContactFilter, contactFilterSql, membersSql, needsScan } from './contact-filter.ts';
import { contactColumns } from './contacts.ts';

export interface ContactOrder {
  by: 'email' | 'createdAt';
  direction: 'asc' | 'desc';
}

/** The order's value and the id of the last contact of the page before. */
export interface ContactPosition {
  value: string;
  id: string;
}

/** Contacts that are looked through in the order of the page before the whole project is. By address they lie apart. */
const contactsAtFirst = { createdAt: 10_000, email: 2_000 };
/** Addresses that a search may find to be looked up one by one. */
const addressesAtMost = 2_000;

interface Page {
  projectId: string;
  filter: ContactFilter;
  order: ContactOrder;
  after: ContactPosition | undefined;
  limit: number;
}

/**
 * A page of the project's contacts by keyset, at most `limit`. With a search or a filter on data, a page of common
 * matches comes from the next contacts in order; one of rare matches takes a pass over the project, of the addresses
 * alone when they tell.
 */
export async function listContacts(
  em: Em,
  projectId: string,
  filter: ContactFilter,
  order: ContactOrder,
  after: ContactPosition | undefined,
  limit: number,
): Promise<ContactRow[]> {
  const page = { projectId, filter, order, after, limit };
  if (!needsScan(filter)) return readInOrder(em, page);
  const near = await readAmongNext(em, page, contactsAtFirst[order.by]);
  if (near.length === limit) return near;
  const emails = filter.search === undefined ? undefined : await findAddresses(em, projectId, filter.search);
  return readAnywhere(em, page, emails);
}

/** How many contacts match; reads addresses alone when only they matter, and every contact otherwise. */
export async function countMatches(em: Em, projectId: string, filter: ContactFilter): Promise<number> {
  const { where, parameters } = contactFilterSql(projectId, filter);
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from contacts c where ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

function keysetSql({ order, after }: Page, parameters: unknown[]): string {
  if (after === undefined) return '';
  parameters.push(after.value, after.id);
  const type = order.by === 'email' ? 'text' : 'timestamptz';
  const comparison = order.direction === 'asc' ? '>' : '<';
  const [value, id] = [`$${parameters.length - 1}::${type}`, `$${parameters.length}::uuid`];
  return ` and (${columnOf(order)}, id) ${comparison} (${value}, ${id})`;
}

const columnOf = (order: ContactOrder) => (order.by === 'email' ? 'email' : 'created_at');

const orderSql = (order: ContactOrder) =>
  `order by ${columnOf(order)} ${order.direction}, id ${order.direction}`;

function readInOrder(em: Em, page: Page): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(page.projectId, page.filter);
  const keyset = keysetSql(page, parameters);
  parameters.push(page.limit);
  return sql(
    em,
    `select ${contactColumns} from contacts c where ${where}${keyset} ${orderSql(page.order)}
     limit $${parameters.length}`,
    parameters,
  );
}

/** The matches among the next contacts of those statuses, which an index reads in order. */
function readAmongNext(em: Em, page: Page, contacts: number): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(page.projectId, page.filter);
  const keyset = keysetSql(page, parameters);
  parameters.push(contacts, page.limit);
  return sql(
    em,
    `select ${contactColumns} from (
       select * from contacts c where ${membersSql(page.filter)}${keyset} ${orderSql(page.order)}
       limit $${parameters.length - 1}
     ) c where ${where} ${orderSql(page.order)} limit $${parameters.length}`,
    parameters,
  );
}

/** Every address with the text in it, from the index of addresses alone; undefined when there are many. */
async function findAddresses(em: Em, projectId: string, search: string): Promise<string[] | undefined> {
  const rows = await sql<{ email: string }>(
    em,
    'select email from contacts where project_id = $1 and position($2 in email) > 0 limit $3',
    [projectId, search, addressesAtMost + 1],
  );
  return rows.length > addressesAtMost ? undefined : rows.map((row) => row.email);
}

/**
 * Rare matches. The planner takes them for common ones, and would read every contact through the index of the order:
 * an order that no index has makes it look at all of them in parallel, or only at those with the addresses given.
 */
function readAnywhere(em: Em, page: Page, emails: string[] | undefined): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(page.projectId, page.filter);
  const keyset = keysetSql(page, parameters);
  parameters.push(page.limit);
  const limit = `$${parameters.length}`;
  if (emails !== undefined) parameters.push(emails);
  const among = emails === undefined ? '' : ` and email = any($${parameters.length}::text[])`;
  const unindexed = page.order.by === 'email' ? `email || ''` : `created_at + interval '0'`;
  return sql(
    em,
    `select ${contactColumns} from contacts where id in (
       select id from contacts c where ${where}${keyset}${among}
       order by ${unindexed} ${page.order.direction}, id ${page.order.direction} limit ${limit}
     ) ${orderSql(page.order)}`,
    parameters,
  );
}
