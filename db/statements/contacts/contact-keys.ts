import { z } from 'zod';
import type { FieldType } from '../../../core/contact-data/infer-field-type.ts';
import type { JsonValue } from '../../../core/json-value.ts';
import { mostRecordedNames } from '../../../core/project-limits.ts';
import type { Em } from '../../orm.ts';
import { execute, queryColumn, queryValue } from '../../sql.ts';

export interface NewFieldType {
  projectId: string;
  key: string;
  type: FieldType;
}

/**
 * Records the type of each key that has none yet; existing types are kept.
 *
 * @param fields at most one per key
 * @throws pg.DatabaseError `contact_fields_limit` when a project would exceed 10,000; `detail` is the project id
 */
export async function recordFieldTypes(em: Em, fields: readonly NewFieldType[]): Promise<void> {
  if (fields.length === 0) return;
  // Sorted, so that concurrent calls do not deadlock.
  const rows = [...fields].sort((a, b) => (a.projectId + a.key < b.projectId + b.key ? -1 : 1));
  const sql = `insert into contact_fields (project_id, key, type)
     select "projectId", key, type from json_to_recordset($1::json) as t("projectId" uuid, key text, type text)
     on conflict (project_id, key) do nothing`;
  await execute(em, sql, [JSON.stringify(rows)]);
}

/**
 * Whether the project already has these `data` keys or has capacity for the new ones. One query per request, so that
 * a flood of new keys stays cheap.
 *
 * @param keys distinct
 */
export function canAddKeys(em: Em, projectId: string, keys: readonly string[]): Promise<boolean> {
  const sql = `with missing as (
       select count(*) as count from unnest($2::text[]) as t(key)
       where not exists (select from contact_fields f where f.project_id = $1 and f.key = t.key)
     )
     select missing.count = 0
       or missing.count + (select count(*) from contact_fields where project_id = $1) <= $3 as "canAdd"
     from missing`;
  return queryValue(em, z.boolean(), sql, [projectId, keys, mostRecordedNames]);
}

/**
 * The value that some contact has under the key. Locks that contact until the transaction ends, so that the key cannot
 * be removed before its type is recorded.
 *
 * @returns undefined when no contact has the key
 */
export async function lockValueOfKey(em: Em, projectId: string, key: string): Promise<JsonValue | undefined> {
  const sql = `select data -> $2::text as value from contacts
     where project_id = $1 and data -> $2::text <> 'null' limit 1 for share`;
  const [value] = await queryColumn(em, z.json(), sql, [projectId, key]);
  return value;
}
