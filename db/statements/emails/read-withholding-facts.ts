import { z } from 'zod';
import { withholdingFactsSchema } from '../../../core/withholding.ts';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import { withholdingColumnsSql } from './claimed-email.ts';

const factsRow = withholdingFactsSchema.extend({
  id: z.uuid(),
  /** Empty once the contact was deleted. */
  toEmail: z.string(),
});

const factsSql = `
select e.id, e.to_email as "toEmail", ${withholdingColumnsSql('e', 'p', 'c')}
from unnest($1::uuid[]) k (id)
cross join lateral (${joinByKeySql('emails e where e.id = k.id')}) e
left join lateral (${joinByKeySql('projects p where p.id = e.project_id')}) p on true
left join lateral (${joinByKeySql('contacts c where c.id = e.contact_id')}) c on true`;

/** What decides now whether emails may leave, by their ids. */
export async function readWithholdingFacts(em: Em, emailIds: readonly string[]) {
  const rows = await query(em, factsRow, factsSql, [emailIds]);
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
