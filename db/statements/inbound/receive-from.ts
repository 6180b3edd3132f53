import { z } from 'zod';
import type { JsonObject } from '../../../core/json-value.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';
import { creationOf, mergeContactWrites } from '../contacts/merge-contact-writes.ts';

export interface ReceivedEvent {
  id: string;
  projectId: string;
  emailId: string;
  data: JsonObject;
  occurredAt: Date;
}

const receiveSql = `
with ${upsertContactsSql(contactInputSql())},
received as (
  insert into events (id, project_id, name, kind, contact_id, email_id, data, occurred_at)
  select $2::uuid, i.project_id, 'email.received', $3, c.id, $4::uuid, $5::jsonb, $6::timestamptz
  from contact_input i
  join contact c on c.ord = i.ord
  returning id, project_id, name, kind, contact_id, occurred_at
),
${countEventsSql("select id, project_id, name, contact_id, occurred_at from received where kind = 'emitted'")}
select id from contact`;

/**
 * Creates the sender as a contact if needed and journals the event. Never changes an existing contact: sender addresses
 * can be forged.
 *
 * @param startsWorkflows whether the event starts workflows and ends waits; otherwise only the feed shows it
 * @returns the contact id
 */
export function receiveFrom(
  em: Em,
  sender: string,
  event: ReceivedEvent,
  startsWorkflows: boolean,
): Promise<string> {
  const creation = creationOf(event.projectId, sender, event.occurredAt);
  const { rows } = mergeContactWrites([creation], true);
  return queryValue(em, z.uuid(), receiveSql, [
    JSON.stringify(rows),
    event.id,
    startsWorkflows ? 'emitted' : 'activity',
    event.emailId,
    JSON.stringify(event.data),
    event.occurredAt,
  ]);
}
