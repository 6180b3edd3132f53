import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { type ContactFilter, contactFilterSql, membersSql, needsScan } from './contact-filter.ts';
import { type ContactRow, contactColumns, contactRow } from './contact-row.ts';

export interface ContactOrder {
  by: 'email' | 'createdAt';
  direction: 'asc' | 'desc';
}

export interface ContactPosition {
  value: string;
  id: string;
}

/**
 * Contacts to scan in page order before falling back to the whole project. Lower by address, where rows are scattered
 * on disk.
 */
const contactsAtFirst = { createdAt: 10_000, email: 2_000 };
const addressesAtMost = 2_000;

interface Page {
  projectId: string;
  filter: ContactFilter;
  order: ContactOrder;
  after: ContactPosition | undefined;
  limit: number;
}

/**
 * A keyset page of contacts. When no index serves the filter, it first scans the next contacts in order, which finds
 * common matches quickly. Rare matches take one scan of the project, limited to matching addresses if a search finds
 * few enough.
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

export async function countMatches(em: Em, projectId: string, filter: ContactFilter): Promise<number> {
  const { where, parameters } = contactFilterSql(projectId, filter);
  const [row] = await query(
    em,
    z.object({ count: z.int() }),
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
  return query(
    em,
    contactRow,
    `select ${contactColumns} from contacts c where ${where}${keyset} ${orderSql(page.order)}
     limit $${parameters.length}`,
    parameters,
  );
}

function readAmongNext(em: Em, page: Page, contacts: number): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(page.projectId, page.filter);
  const keyset = keysetSql(page, parameters);
  parameters.push(contacts, page.limit);
  return query(
    em,
    contactRow,
    `select ${contactColumns} from (
       select * from contacts c where ${membersSql(page.filter)}${keyset} ${orderSql(page.order)}
       limit $${parameters.length - 1}
     ) c where ${where} ${orderSql(page.order)} limit $${parameters.length}`,
    parameters,
  );
}

async function findAddresses(em: Em, projectId: string, search: string): Promise<string[] | undefined> {
  const rows = await query(
    em,
    z.object({ email: z.string() }),
    'select email from contacts where project_id = $1 and position($2 in email) > 0 limit $3',
    [projectId, search, addressesAtMost + 1],
  );
  return rows.length > addressesAtMost ? undefined : rows.map((row) => row.email);
}

/**
 * For rare matches. The planner expects common ones and would read every contact through the sort index; an unindexed
 * order makes it choose a parallel scan, or a look-up of the given addresses.
 */
function readAnywhere(em: Em, page: Page, emails: string[] | undefined): Promise<ContactRow[]> {
  const { where, parameters } = contactFilterSql(page.projectId, page.filter);
  const keyset = keysetSql(page, parameters);
  parameters.push(page.limit);
  const limit = `$${parameters.length}`;
  if (emails !== undefined) parameters.push(emails);
  const among = emails === undefined ? '' : ` and email = any($${parameters.length}::text[])`;
  const unindexed = page.order.by === 'email' ? `email || ''` : `created_at + interval '0'`;
  return query(
    em,
    contactRow,
    `select ${contactColumns} from contacts where id in (
       select id from contacts c where ${where}${keyset}${among}
       order by ${unindexed} ${page.order.direction}, id ${page.order.direction} limit ${limit}
     ) ${orderSql(page.order)}`,
    parameters,
  );
}
