import type { CampaignActivity } from '../../../core/conditions/condition.ts';
import type { ConditionContact } from '../../../core/conditions/testing/evaluate-condition.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import { newId } from '../../../core/new-id.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../testing/sql.ts';

export interface TestContact {
  /** A new one for each contact that has none. */
  id?: string | undefined;
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  snoozedUntil: Date | null;
  data: JsonObject;
  events: Record<string, Date[]>;
  segments: string[];
  /** By the id of the campaign. An empty list: its email was not sent yet. */
  campaigns?: Record<string, CampaignActivity[]>;
}

export function toConditionContact({
  events,
  segments,
  campaigns = {},
  id = newId(),
  ...contact
}: TestContact): ConditionContact {
  const histories = Object.entries(events).flatMap(([name, times]) => {
    const [firstAt, ...later] = times.toSorted((one, other) => one.getTime() - other.getTime());
    if (!firstAt) return [];
    return [[name, { count: times.length, firstAt, lastAt: later.at(-1) ?? firstAt, times }] as const];
  });
  const ofCampaigns = new Map(Object.entries(campaigns));
  return { id, ...contact, events: new Map(histories), segments: new Set(segments), campaigns: ofCampaigns };
}

export async function storeContacts(em: Em, projectId: string, contacts: TestContact[]): Promise<string[]> {
  const rows = contacts.map(({ events: _events, campaigns: _campaigns, id = newId(), ...contact }) => ({
    id,
    ...contact,
  }));
  const events = contacts.flatMap((contact, index) =>
    Object.entries(contact.events).flatMap(([name, times]) =>
      times.map((at) => ({ id: newId(), contact: rows[index]?.id, name, at })),
    ),
  );
  await sql(
    em,
    `insert into contacts (id, project_id, email, subscribed, created_at, updated_at, snoozed_until, data)
     select id, $1::uuid, email, subscribed, "createdAt", "updatedAt", "snoozedUntil", data
     from jsonb_to_recordset($2::jsonb) as t(id uuid, email text, subscribed boolean, "createdAt" timestamptz,
       "updatedAt" timestamptz, "snoozedUntil" timestamptz, data jsonb)`,
    [projectId, JSON.stringify(rows)],
  );
  // One feed row per event: it has the same name and must not count.
  await sql(
    em,
    `with input as (select * from jsonb_to_recordset($2::jsonb) as t(id uuid, contact uuid, name text, at timestamptz)),
     journal as (
       insert into events (id, project_id, name, kind, contact_id, occurred_at)
       select id, $1::uuid, name, 'tracked', contact, at from input
       union all select uuidv7(), $1::uuid, name, 'activity', contact, at from input)
     insert into contact_event_stats (contact_id, name, project_id, count, first_at, last_at, last_event_id)
     select contact, name, $1::uuid, count(*), min(at), max(at), (array_agg(id))[1] from input group by 1, 2`,
    [projectId, JSON.stringify(events)],
  );
  const emails = contacts.flatMap(({ campaigns = {} }, index) =>
    Object.entries(campaigns).map(([campaign, activities]) => ({
      id: newId(),
      contact: rows[index]?.id,
      campaign,
      activities,
    })),
  );
  await sql(
    em,
    `insert into emails (id, project_id, contact_id, campaign_id, source, to_email, from_email, sent_at, opened_at, clicked_at)
     select id, $1::uuid, contact, campaign, 'CAMPAIGN', 'a@b.example', 'c@d.example',
       case when 'sent' = any(activities) then now() end, case when 'opened' = any(activities) then now() end,
       case when 'clicked' = any(activities) then now() end
     from jsonb_to_recordset($2::jsonb) as t(id uuid, contact uuid, campaign uuid, activities text[])`,
    [projectId, JSON.stringify(emails)],
  );
  return rows.map((row) => row.id);
}
