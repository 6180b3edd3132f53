import { z } from 'zod';
import { newId } from '../../../core/new-id.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import { upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { columnsOf, query, queryValue } from '../../sql.ts';

export interface ImportedContact {
  email: string;
  subscribed: boolean | undefined;
  data: Record<string, unknown>;
}

// Sends only values that differ between rows, and columns instead of records: parsing the input is a large part of the
// statement's cost.
const inputSql = `
  select ord, $2::uuid as project_id, email, contact_id, subscribed, coalesce(subscribed, true) as new_subscribed,
    set_data, '{}'::text[] as removed, flip_id, $3::timestamptz as flip_at, $3::timestamptz as created_at,
    $3::timestamptz as updated_at
  from rows from (
    jsonb_array_elements($1::jsonb), unnest($4::text[], $5::uuid[], $6::boolean[], $7::uuid[])
  ) with ordinality as t(set_data, email, contact_id, subscribed, flip_id, ord)`;

const importSql = `
with ${upsertContactsSql(inputSql)},
${countEventsSql(`select f.* from contact_flip f, ${matchLimitSql('$8::text')} matches`)}
select count(*)::int as created from contact_written where is_new`;

interface InputRow {
  email: string;
  contact_id: string;
  set_data: Record<string, unknown>;
  subscribed?: boolean;
  flip_id?: string;
}

/**
 * Creates or patches many contacts in one statement, with the same result as `upsertContact` for each in turn. Rows
 * that set the subscription of one contact must agree.
 *
 * @returns the number of contacts created
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data would exceed 64 KB; as `matchLimitSql`
 */
export function importContactRows(
  em: Em,
  projectId: string,
  contacts: readonly ImportedContact[],
  occurredAt: Date,
): Promise<number> {
  const rows = new Map<string, InputRow>();
  for (const { email, subscribed, data } of contacts) {
    const known = rows.get(email);
    const row = known ?? { email, contact_id: newId(), set_data: data };
    // A copy, because the caller reuses its rows when it retries some of them.
    if (known !== undefined) row.set_data = { ...known.set_data, ...data };
    if (subscribed !== undefined && row.subscribed === undefined) {
      row.subscribed = subscribed;
      row.flip_id = newId();
    }
    rows.set(email, row);
  }
  const input = [...rows.values()];
  const parameters = [
    JSON.stringify(input.map((row) => row.set_data)),
    projectId,
    occurredAt,
    ...columnsOf(input, 'email', 'contact_id', 'subscribed', 'flip_id'),
    matchLimit(input.length),
  ];
  return queryValue(em, z.int(), importSql, parameters);
}

const sizeRow = z.object({ email: z.string(), bytes: z.int() });

// The sum with an empty object is the value as Postgres works with it; a stored one may be compressed.
const sizesSql = `
select w.email, coalesce(pg_column_size(c.data || '{}'), 0) as bytes
from unnest($2::text[]) as w(email)
left join lateral (${joinByKeySql('contacts c where c.project_id = $1 and c.email = w.email')}) c on true
order by w.email`;

/**
 * The uncompressed bytes of the data of the contacts with these addresses, 0 for an unknown one. The addresses are
 * sorted as statements sort the contacts they lock; the collation may not be the order of code points.
 */
export async function measureContacts(
  em: Em,
  projectId: string,
  emails: readonly string[],
): Promise<Map<string, number>> {
  const rows = await query(em, sizeRow, sizesSql, [projectId, emails]);
  return new Map(rows.map(({ email, bytes }) => [email, bytes]));
}
