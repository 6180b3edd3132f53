import { newId } from '../../../core/new-id.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { countEventsSql, writeContactInputSql } from '../contacts/upsert-contacts-sql.ts';

/** What a row of a file says about a contact. */
export interface ImportedContact {
  /** Normalised. */
  email: string;
  /** Undefined keeps the state. */
  subscribed: boolean | undefined;
  /** Keys to set. */
  data: Record<string, unknown>;
}

// Only what differs from row to row is sent: reading its input is a good part of what the statement costs.
const importSql = `
with contact_input as materialized (
  select ord, $2::uuid as project_id, email, contact_id, subscribed, coalesce(subscribed, true) as new_subscribed,
    set_data, '{}'::text[] as removed, flip_id, $3::timestamptz as flip_at, $3::timestamptz as created_at,
    $3::timestamptz as updated_at
  from json_to_recordset($1::json) as t(
    ord int, email text, contact_id uuid, subscribed boolean, set_data jsonb, flip_id uuid)
),
${writeContactInputSql},
counted as (select * from contact_flip),
${countEventsSql}
select count(*)::int as created from contact where is_new`;

interface InputRow {
  ord: number;
  email: string;
  contact_id: string;
  set_data: Record<string, unknown>;
  subscribed?: boolean;
  flip_id?: string;
}

/**
 * Creates or patches many contacts in one statement, as `upsertContact` for one after the other would. Rows of one
 * contact that say something about its subscription have to say the same.
 *
 * @returns how many contacts were created
 * @throws pg.DatabaseError `contacts_data_size` when the data of a contact grows beyond 64 KB
 */
export async function importContactRows(
  em: Em,
  projectId: string,
  contacts: readonly ImportedContact[],
  occurredAt: Date,
): Promise<number> {
  const rows = new Map<string, InputRow>();
  for (const { email, subscribed, data } of contacts) {
    const known = rows.get(email);
    const row = known ?? { ord: rows.size, email, contact_id: newId(), set_data: data };
    // A copy, because the caller's rows are read again when a part of them has to be repeated.
    if (known !== undefined) row.set_data = { ...known.set_data, ...data };
    if (subscribed !== undefined && row.subscribed === undefined) {
      row.subscribed = subscribed;
      row.flip_id = newId();
    }
    rows.set(email, row);
  }
  const [counts] = await sql<{ created: number }>(em, importSql, [
    JSON.stringify([...rows.values()]),
    projectId,
    occurredAt,
  ]);
  return counts?.created ?? 0;
}
