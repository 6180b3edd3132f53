import { lookUpSql } from '../../look-up-sql.ts';

/**
 * The part of `upsertContactsSql` after its input, for a statement that makes `contact_input` in a way of its own:
 * a row per contact with the columns of `mergeContactWrites`.
 */
export const writeContactInputSql = `
  contact_target as materialized (
    select i.*, c.id as existing_id,
      c.id is null
        or (c.data - i.removed) || i.set_data <> c.data
        or (i.subscribed is not null and (i.subscribed <> c.subscribed or c.snoozed_until is not null))
        as changes
    from contact_input i
    left join lateral (${lookUpSql('contacts c where c.project_id = i.project_id and c.email = i.email')}) c on true
  ),
  -- What the row that is proposed for insertion cannot tell, of the few contacts that it matters for.
  contact_detail as materialized (
    select contact_id, subscribed, removed
    from contact_target
    where changes and (subscribed is not null or removed <> '{}')
  ),
  contact_written as (
    insert into contacts as c (id, project_id, email, subscribed, data, created_at, updated_at)
    select contact_id, project_id, email, new_subscribed, set_data, created_at, updated_at
    from contact_target
    where changes
    order by project_id, email
    on conflict (project_id, email) do update
    set (data, subscribed, snoozed_until, suppression_reason, suppressed_at, suppressed_email_id, updated_at) = (
      select (c.data - coalesce(d.removed, '{}')) || excluded.data,
        coalesce(d.subscribed, c.subscribed),
        case when d.subscribed is null then c.snoozed_until end,
        case when d.subscribed then null else c.suppression_reason end,
        case when d.subscribed then null else c.suppressed_at end,
        case when d.subscribed then null else c.suppressed_email_id end,
        excluded.updated_at
      from (values (excluded.id)) proposed (contact_id)
      left join contact_detail d using (contact_id)
    )
    returning new.project_id, new.email, new.id, old.id is null as is_new,
      old.subscribed <> new.subscribed as is_flipped, new.subscribed as is_subscribed
  ),
  contact as materialized (
    select t.ord, coalesce(w.id, t.existing_id) as id, coalesce(w.is_new, false) as is_new
    from contact_target t
    left join contact_written w using (project_id, email)
  ),
  contact_flip as (
    insert into events (id, project_id, name, kind, contact_id, occurred_at)
    select t.flip_id, project_id, case when w.is_subscribed then 'contact.subscribed' else 'contact.unsubscribed' end,
      'emitted', w.id, t.flip_at
    from contact_written w
    join contact_target t using (project_id, email)
    where w.is_flipped
    returning id, project_id, name, contact_id, occurred_at
  )`;

/**
 * Fragment of a statement that creates or patches contacts, shared by every call that does so. Its parameter $1
 * is the JSON text of the rows of `mergeContactWrites`, at most one per contact.
 *
 * It offers `contact(ord, id, is_new)`, a row per input row, and journals contact.subscribed and
 * contact.unsubscribed. Contacts that would stay as they are are not written. All others are locked in one order,
 * whether they exist or not, so that statements do not deadlock; one that another transaction creates meanwhile
 * is patched like any that exists.
 */
export const upsertContactsSql = `
  contact_input as materialized (
    select * from json_to_recordset($1::json) as t(
      ord int, project_id uuid, email text, contact_id uuid, subscribed boolean, new_subscribed boolean,
      set_data jsonb, removed text[], flip_id uuid, flip_at timestamptz, created_at timestamptz,
      updated_at timestamptz)
  ),
  ${writeContactInputSql}`;

/**
 * Fragment that keeps `contact_event_stats` for the rows of `counted(id, project_id, name, contact_id,
 * occurred_at)`, which the statement has to define: any number of events, of contacts or of none. Workflows and
 * executions that listen to one of them are started or woken, with commands for Temporal (`hear_events`).
 */
export const countEventsSql = `
  event_counted as (
    insert into contact_event_stats as s (project_id, name, contact_id, count, first_at, last_at, last_event_id)
    select project_id, name, contact_id, count(*), min(occurred_at), max(occurred_at),
      (array_agg(id order by occurred_at desc, id desc))[1]
    from counted
    where contact_id is not null
    group by project_id, name, contact_id
    order by project_id, name, contact_id
    on conflict (project_id, name, contact_id) do update
    set count = s.count + excluded.count,
      first_at = least(s.first_at, excluded.first_at),
      last_event_id = case when excluded.last_at >= s.last_at then excluded.last_event_id else s.last_event_id end,
      last_at = greatest(s.last_at, excluded.last_at)
    returning contact_id
  ),
  event_heard as (
    insert into outbox (id, kind, subject_id, project_id)
    select uuidv7(), h.kind, h.subject_id, h.of_project
    from (
      select array_agg(id) as ids, array_agg(project_id) as projects, array_agg(name) as names,
        array_agg(contact_id) as contacts
      from counted
      -- Not before the statistics are locked.
      where contact_id is not null and (select count(*) from event_counted) > 0
    ) e, hear_events(e.ids, e.projects, e.names, e.contacts) h
  )`;
