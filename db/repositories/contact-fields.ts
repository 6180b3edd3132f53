import type { FieldType } from '../entities/contact.ts';
import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

/** A key of `data` and the type that its first value has. */
export interface FieldTypeRow {
  key: string;
  type: FieldType;
}

/**
 * Fixes the type of every key that the project has none for yet; known keys keep theirs. At most one row a key.
 */
export async function learnFieldTypes(
  em: Em,
  projectId: string,
  fields: readonly FieldTypeRow[],
): Promise<void> {
  // In one order, so that two calls which meet do not deadlock.
  const rows = [...fields].sort((a, b) => (a.key < b.key ? -1 : 1));
  await sql(
    em,
    `insert into contact_fields (project_id, key, type)
     select $1, key, type from json_to_recordset($2::json) as t(key text, type text)
     on conflict (project_id, key) do nothing`,
    [projectId, JSON.stringify(rows)],
  );
}
