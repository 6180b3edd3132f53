import { z } from 'zod';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';
import { creationOf, mergeContactWrites } from '../contacts/merge-contact-writes.ts';

const createMissingSql = `
with ${upsertContactsSql(contactInputSql())},
${countEventsSql('select * from contact_flip')}
select count(*) filter (where is_new)::int as created from contact`;

/** Creates contacts for unknown addresses and returns their number; existing contacts are not changed. */
export function createMissingContacts(
  em: Em,
  projectId: string,
  emails: readonly string[],
  subscribed: boolean,
): Promise<number> {
  const now = new Date();
  const creations = emails.map((email) => creationOf(projectId, email, now));
  const { rows } = mergeContactWrites(creations, subscribed);
  return queryValue(em, z.int(), createMissingSql, [JSON.stringify(rows)]);
}
