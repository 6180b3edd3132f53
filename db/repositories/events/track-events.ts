import type { Em } from '../../orm.ts';
import { preparedSql } from '../../sql.ts';
import { type ContactWrite, mergeContactWrites } from '../contacts/contact-writes.ts';
import { countEventsSql, upsertContactsSql } from '../contacts/upsert-contacts-sql.ts';

/** An event of one contact, and what it changes on the contact; a new one is subscribed by default. */
export interface TrackInput extends ContactWrite {
  eventId: string;
  eventName: string;
  eventData: Record<string, unknown>;
}

export interface TrackedEvent {
  contactId: string;
  isNewContact: boolean;
}

const trackSql = `
with event_input as materialized (
  select * from json_to_recordset($2::json) as t(contact int, id uuid, name text, data jsonb, at timestamptz)
),
${upsertContactsSql},
tracked as (
  insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
  select e.id, i.project_id, e.name, 'tracked', c.id, e.data, e.at
  from event_input e
  join contact_input i on i.ord = e.contact
  join contact c on c.ord = e.contact
  returning id, project_id, name, contact_id, occurred_at
),
counted as (
  select * from tracked
  union all
  select * from contact_flip
),
${countEventsSql}
select id, is_new as "isNew" from contact order by ord`;

/**
 * Writes a batch of tracked events: contacts, journal and statistics in one statement. Events of one contact that
 * say something about its subscription have to say the same.
 *
 * @returns a row per input, in its order.
 * @throws pg.DatabaseError `contacts_data_size` when a contact's data grows beyond 64 KB.
 */
export async function trackEvents(em: Em, inputs: TrackInput[]): Promise<TrackedEvent[]> {
  const { rows, ordOf } = mergeContactWrites(inputs, true);
  const events = inputs.map((input, index) => ({
    contact: ordOf[index],
    id: input.eventId,
    name: input.eventName,
    data: input.eventData,
    at: input.occurredAt,
  }));
  const parameters = [JSON.stringify(rows), JSON.stringify(events)];
  const contacts = await preparedSql<{ id: string; isNew: boolean }>(
    em,
    'track_events',
    trackSql,
    parameters,
  );
  const answered = new Set<number>();
  return ordOf.map((ord) => {
    const contact = contacts[ord];
    if (contact === undefined) throw new Error('A contact that was written is missing in the answer');
    const isNewContact = contact.isNew && !answered.has(ord);
    answered.add(ord);
    return { contactId: contact.id, isNewContact };
  });
}
