import type { TemplateRow } from '../../entities/template.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { containsSql, foldedSql } from '../contacts/text-search.ts';

/** What a template is made of, apart from whose it is and since when. */
export type TemplateFields = Omit<TemplateRow, 'id' | 'projectId' | 'createdAt' | 'updatedAt'>;

export interface TemplateFilter {
  /** Part of the name, the description or the subject, whatever its case. */
  search: string | undefined;
  type: TemplateRow['type'] | undefined;
}

export interface TemplateOrder {
  by: 'name' | 'createdAt' | 'updatedAt';
  direction: 'asc' | 'desc';
}

const columns = `id, project_id as "projectId", name, description, subject, body, from_email as "fromEmail",
  from_name as "fromName", reply_to as "replyTo", type, created_at as "createdAt", updated_at as "updatedAt"`;

const orders: Readonly<Record<TemplateOrder['by'], string>> = {
  name: foldedSql('name'),
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

function conditions(projectId: string, filter: TemplateFilter): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  let where = 'project_id = $1';
  if (filter.type !== undefined) {
    parameters.push(filter.type);
    where += ` and type = $${parameters.length}`;
  }
  if (filter.search !== undefined) {
    parameters.push(filter.search);
    where += ` and ${containsSql(['name', 'description', 'subject'], `$${parameters.length}`)}`;
  }
  return { where, parameters };
}

/** A page of the project's templates, at most `limit` after the first `offset`. */
export function listTemplates(
  em: Em,
  projectId: string,
  filter: TemplateFilter,
  order: TemplateOrder,
  page: { limit: number; offset: number },
): Promise<TemplateRow[]> {
  const { where, parameters } = conditions(projectId, filter);
  const direction = order.direction === 'asc' ? 'asc' : 'desc';
  parameters.push(page.limit, page.offset);
  return sql(
    em,
    `select ${columns} from templates where ${where}
     order by ${orders[order.by]} ${direction}, id ${direction}
     limit $${parameters.length - 1} offset $${parameters.length}::bigint`,
    parameters,
  );
}

export async function countTemplates(em: Em, projectId: string, filter: TemplateFilter): Promise<number> {
  const { where, parameters } = conditions(projectId, filter);
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from templates where ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

/**
 * A template of the project.
 * @param hold in a transaction, until its end: `keep` keeps the template from being deleted, for what is about to
 * refer to it; `update` keeps other changes away; `delete` waits for all who hold it and keeps new ones away
 */
export async function findTemplate(
  em: Em,
  projectId: string,
  id: string,
  hold?: 'keep' | 'update' | 'delete',
): Promise<TemplateRow | undefined> {
  const lock = { keep: 'for key share', update: 'for no key update', delete: 'for update' };
  const [row] = await sql<TemplateRow>(
    em,
    `select ${columns} from templates where project_id = $1 and id = $2 ${hold === undefined ? '' : lock[hold]}`,
    [projectId, id],
  );
  return row;
}

const valuesOf = (fields: TemplateFields) => [
  fields.name,
  fields.description,
  fields.subject,
  fields.body,
  fields.fromEmail,
  fields.fromName,
  fields.replyTo,
  fields.type,
];

/** Adds a template; the caller holds its sender domain. */
export async function insertTemplate(
  em: Em,
  id: string,
  projectId: string,
  fields: TemplateFields,
): Promise<TemplateRow> {
  const [row] = await sql<TemplateRow>(
    em,
    `insert into templates
       (id, project_id, name, description, subject, body, from_email, from_name, reply_to, type)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
    [id, projectId, ...valuesOf(fields)],
  );
  if (row === undefined) throw new Error('A template that was inserted is missing in the answer');
  return row;
}

/**
 * Replaces what a template is made of. `updatedAt` grows with every change, by a millisecond at least, so that it
 * tells two versions apart.
 */
export async function updateTemplate(
  em: Em,
  projectId: string,
  id: string,
  fields: TemplateFields,
): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow>(
    em,
    `update templates
     set name = $3, description = $4, subject = $5, body = $6, from_email = $7, from_name = $8, reply_to = $9,
       type = $10, updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $1 and project_id = $2 returning ${columns}`,
    [id, projectId, ...valuesOf(fields)],
  );
  return row;
}

export async function deleteTemplate(em: Em, projectId: string, id: string): Promise<void> {
  await sql(em, 'delete from templates where id = $1 and project_id = $2', [id, projectId]);
}

/** Templates that send from a domain: the first by name, at most `limit`. */
export function findTemplatesOfDomain(
  em: Em,
  projectId: string,
  domain: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return sql(
    em,
    `select id, name from templates
     where project_id = $1 and split_part(from_email, '@', 2) = $2
     order by ${orders.name}, id limit $3`,
    [projectId, domain, limit],
  );
}
