import { z } from 'zod';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import { contactInputSql, upsertContactsSql } from '../../fragments/upsert-contacts-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { type ContactWrite, mergeContactWrites } from '../contacts/merge-contact-writes.ts';

export interface TrackInput extends ContactWrite {
  eventId: string;
  eventName: string;
  eventData: Record<string, unknown>;
}

export interface TrackedEvent {
  contactId: string;
}

const trackSql = `
with event_input as materialized (
  select t.*
  from json_to_recordset($2::json) as t(contact int, id uuid, name text, data jsonb, at timestamptz),
    ${matchLimitSql('$4::text')} matches
),
${upsertContactsSql(contactInputSql('$3::text'))},
tracked as (
  insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
  select e.id, i.project_id, e.name, 'tracked', c.id, e.data, e.at
  from event_input e
  join contact_input i on i.ord = e.contact
  join contact c on c.ord = e.contact
  returning id, project_id, name, contact_id, occurred_at
),
${countEventsSql('select * from tracked union all select * from contact_flip')}
select id from contact order by ord`;

const idRow = z.object({ id: z.uuid() });

/**
 * Writes a batch of tracked events: contacts, journal and statistics in one statement (hot path of `POST /v1/track`).
 * Events that set the subscription of one contact must agree.
 *
 * @param lockMs lock timeout; by default that of the session
 * @returns a row per input, in order
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data would exceed 64 KB; as `matchLimitSql`
 */
export async function trackEvents(em: Em, inputs: TrackInput[], lockMs?: number): Promise<TrackedEvent[]> {
  const { rows, ordOf } = mergeContactWrites(inputs, true);
  const events = inputs.map((input, index) => ({
    contact: ordOf[index],
    id: input.eventId,
    name: input.eventName,
    data: input.eventData,
    at: input.occurredAt,
  }));
  const limit = matchLimit(inputs.length, lockMs !== undefined);
  const parameters = [JSON.stringify(rows), JSON.stringify(events), lockMs?.toString() ?? null, limit];
  const contacts = await preparedQuery(em, 'track_events', idRow, trackSql, parameters);
  return ordOf.map((ord) => {
    const contact = contacts[ord];
    if (contact === undefined) throw new Error('The statement returned no row for a written contact');
    return { contactId: contact.id };
  });
}
