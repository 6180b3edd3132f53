import type { FieldType } from '../../../core/contact-data/infer-field-type.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

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
