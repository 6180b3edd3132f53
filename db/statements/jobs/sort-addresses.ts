import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/** Sorts addresses as statements sort the contacts they lock; the collation may not be the order of code points. */
export function sortAddresses(em: Em, emails: readonly string[]): Promise<string[]> {
  const sql = 'select array(select email from unnest($1::text[]) email order by email)';
  return queryValue(em, z.array(z.string()), sql, [emails]);
}
