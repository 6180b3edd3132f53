import type { JsonValue } from '../../../core/json-value.ts';
import type { FieldType } from '../../entities/contact.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A key of `data` and the type that its first value has. */
export interface FieldTypeRow {
  key: string;
  type: FieldType;
}

export interface NewFieldType extends FieldTypeRow {
  projectId: string;
}

/**
 * Fixes the type of every key that its project has none for yet; known keys keep theirs. At most one row a key.
 * @throws pg.DatabaseError `contact_fields_limit` when a project would have more than 10,000; its detail is the project
 */
export async function learnFieldTypes(em: Em, fields: readonly NewFieldType[]): Promise<void> {
  if (fields.length === 0) return;
  // In one order, so that two calls which meet do not deadlock.
  const rows = [...fields].sort((a, b) => (a.projectId + a.key < b.projectId + b.key ? -1 : 1));
  await sql(
    em,
    `insert into contact_fields (project_id, key, type)
     select "projectId", key, type from json_to_recordset($1::json) as t("projectId" uuid, key text, type text)
     on conflict (project_id, key) do nothing`,
    [JSON.stringify(rows)],
  );
}

/** Keys that a project may have, as the trigger of the table says; one from before there was a limit may have more. */
const mostFields = 10_000;

/** The keys of the project that have a type, by name, the first `mostFields`. */
export function listFieldTypes(em: Em, projectId: string): Promise<FieldTypeRow[]> {
  return sql(
    em,
    `select key, type from contact_fields where project_id = $1 order by key collate "C" limit ${mostFields}`,
    [projectId],
  );
}

/** Which of these keys have a type in the project. */
export async function findTypedKeys(em: Em, projectId: string, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }>(
    em,
    'select key from contact_fields where project_id = $1 and key = any($2::text[])',
    [projectId, keys],
  );
  return rows.map((row) => row.key);
}

/** Whether a project has all of these keys, or may have them. Each is named once. */
export async function hasRoomForKeys(em: Em, projectId: string, keys: readonly string[]): Promise<boolean> {
  const [row] = await sql<{ hasRoom: boolean }>(
    em,
    `with missing as (
       select count(*) as count from unnest($2::text[]) as t(key)
       where not exists (select from contact_fields f where f.project_id = $1 and f.key = t.key)
     )
     select missing.count = 0
       or missing.count + (select count(*) from contact_fields where project_id = $1) <= ${mostFields} as "hasRoom"
     from missing`,
    [projectId, keys],
  );
  return row?.hasRoom ?? false;
}

/** Takes the type from a key, so that its next value gives it one anew, and tells every process. */
export async function forgetFieldType(em: Em, projectId: string, key: string): Promise<void> {
  await sql(
    em,
    `with forgotten as (delete from contact_fields where project_id = $1 and key = $2)
     select pg_notify('project_changed', $1::text)`,
    [projectId, key],
  );
}

/**
 * A value that some contact has under the key. The contact is locked until the end of the transaction, so that the
 * key is not taken from it before the value's type is fixed.
 * @returns undefined when no contact has the key
 */
export async function holdValueOfKey(em: Em, projectId: string, key: string): Promise<JsonValue | undefined> {
  const [row] = await sql<{ value: JsonValue }>(
    em,
    `select data -> $2::text as value from contacts
     where project_id = $1 and data -> $2::text <> 'null' limit 1 for share`,
    [projectId, key],
  );
  return row?.value;
}

/** The order of `removeKey`: where the contact stands that comes last. */
export interface ContactPlace {
  createdAt: Date;
  id: string;
}

/** What was done by one call of `removeKey`; `last` is undefined when no contact is left. */
export interface RemovedKeys {
  removed: number;
  last: ContactPlace | undefined;
}

/**
 * Takes a key out of the next `limit` contacts by creation, and moves the `updatedAt` of those that have it. Contacts
 * are counted whether they have it or not: the planner can't tell how many do, and would look at all of them in each
 * call.
 * @param after where the call before has ended
 */
export async function removeKey(
  em: Em,
  projectId: string,
  key: string,
  after: ContactPlace | undefined,
  limit: number,
): Promise<RemovedKeys> {
  const parameters: unknown[] = [projectId, key, limit];
  if (after !== undefined) parameters.push(after.createdAt, after.id);
  const rows = await sql<ContactPlace & { removed: number; found: number }>(
    em,
    `with found as materialized (
       select id, created_at, data ? $2::text as has_key from contacts
       where project_id = $1 ${after === undefined ? '' : 'and (created_at, id) > ($4, $5::uuid)'}
       order by created_at, id limit $3
     ),
     held as materialized (
       -- In the order of every statement that locks contacts, so that they do not deadlock.
       select id from contacts where id in (select id from found where has_key) order by project_id, email
       for no key update
     ),
     written as (
       update contacts c set data = c.data - $2::text, updated_at = now()
       from held h where c.id = h.id and c.data ? $2::text
       returning 1
     )
     select created_at as "createdAt", id, (select count(*)::int from written) as removed,
       (select count(*)::int from found) as found
     from found order by created_at desc, id desc limit 1`,
    parameters,
  );
  const [row] = rows;
  if (row === undefined) return { removed: 0, last: undefined };
  const { removed, found, createdAt, id } = row;
  return { removed, last: found < limit ? undefined : { createdAt, id } };
}
