import { z } from 'zod';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';
import { type ContactWrite, mergeContactWrites } from './merge-contact-writes.ts';

const upsertSql = `
with ${upsertContactsSql(contactInputSql())},
${countEventsSql('select * from contact_flip')}
select id, is_new as "isNew" from contact`;

const writtenRow = z.object({ id: z.uuid(), isNew: z.boolean() });

/**
 * Creates or patches a contact by address; new contacts are subscribed by default. Contact, journal and statistics
 * change together, in the common lock order.
 *
 * @throws pg.DatabaseError `contacts_data_size` when its data would exceed 64 KB
 */
export function upsertContact(em: Em, write: ContactWrite): Promise<z.output<typeof writtenRow>> {
  const { rows } = mergeContactWrites([write], true);
  return queryRow(em, writtenRow, upsertSql, [JSON.stringify(rows)]);
}
