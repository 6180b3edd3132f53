import { z } from 'zod';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const sizeRow = z.object({ email: z.string(), bytes: z.int() });

// The sum with an empty object is the value as Postgres works with it; a stored one may be compressed.
const sizesSql = `
select w.email, pg_column_size(c.data || '{}') as bytes
from unnest($2::text[]) as w(email)
cross join lateral (${joinByKeySql('contacts c where c.project_id = $1 and c.email = w.email')}) c`;

/** The uncompressed bytes of the data of the contacts with these addresses, by address. */
export async function measureContacts(
  em: Em,
  projectId: string,
  emails: readonly string[],
): Promise<Map<string, number>> {
  const rows = await query(em, sizeRow, sizesSql, [projectId, emails]);
  return new Map(rows.map(({ email, bytes }) => [email, bytes]));
}
