/**
 * Fragment of a statement that creates or patches contacts, shared by every call that does so. It expects a
 * common table expression before it:
 *
 * `contact_input(project_id, email, contact_id, subscribed, default_subscribed, patch, flip_id, occurred_at)`,
 * at most one row per (project_id, email); `contact_id` is the id of a contact that has to be created,
 * `subscribed` null keeps the state, `patch` has null for the keys to remove, `flip_id` is the id of the event
 * that a change of the subscription is journaled under.
 *
 * It offers `contact(project_id, email, id, is_new, is_updated)`, a row per input row, and journals
 * contact.subscribed and contact.unsubscribed. Contacts that would stay as they are are not written. Rows are
 * locked in a fixed order. When another transaction creates one of the contacts at the same moment, the whole
 * statement ends with SQLSTATE 40001 and has to be run again.
 */
export const upsertContactsSql = `
  contact_target as materialized (
    select i.*, c.id as existing_id,
      c.id is not null and (
        patch_contact_data(c.data, i.patch) is distinct from c.data
        or (i.subscribed is not null and (i.subscribed <> c.subscribed or c.snoozed_until is not null))
      ) as changes
    from contact_input i
    left join contacts c on c.project_id = i.project_id and c.email = i.email
  ),
  contact_locked as materialized (
    select c.id
    from contacts c
    join contact_target t on t.existing_id = c.id and t.changes
    order by c.project_id, c.email
    for no key update of c
  ),
  contact_updated as (
    update contacts c
    set data = patch_contact_data(c.data, t.patch),
      subscribed = coalesce(t.subscribed, c.subscribed),
      snoozed_until = case when t.subscribed is null then c.snoozed_until end,
      suppression_reason = case when t.subscribed then null else c.suppression_reason end,
      suppressed_at = case when t.subscribed then null else c.suppressed_at end,
      suppressed_email_id = case when t.subscribed then null else c.suppressed_email_id end,
      updated_at = t.occurred_at
    from contact_target t
    where t.existing_id = c.id and c.id in (select id from contact_locked)
    returning c.id, c.project_id, t.flip_id, t.occurred_at,
      old.subscribed as was_subscribed, new.subscribed as is_subscribed
  ),
  contact_created as (
    insert into contacts (id, project_id, email, subscribed, data, created_at, updated_at)
    select contact_id, project_id, email, coalesce(subscribed, default_subscribed),
      patch_contact_data('{}', patch), occurred_at, occurred_at
    from contact_target
    where existing_id is null
    order by project_id, email
    on conflict (project_id, email) do nothing
    returning id
  ),
  contact as materialized (
    select t.project_id, t.email, coalesce(t.existing_id, n.id) as id,
      n.id is not null as is_new, t.changes as is_updated
    from contact_target t
    left join contact_created n on n.id = t.contact_id
  ),
  contact_flip as (
    insert into events (id, project_id, name, kind, contact_id, occurred_at)
    select flip_id, project_id, case when is_subscribed then 'contact.subscribed' else 'contact.unsubscribed' end,
      'emitted', id, occurred_at
    from contact_updated
    where was_subscribed <> is_subscribed
    returning id, project_id, name, contact_id, occurred_at
  )`;

/** An output column of such a statement: ends it when somebody else created a contact meanwhile. */
export const retryWhenContactMissingSql = `case when c.id is null then retry_statement() end`;

/**
 * Fragment that keeps `contact_event_stats` for the rows of `counted(contact_id, project_id, name, id,
 * occurred_at, times)`, which the statement has to define, at most one per (contact_id, name).
 */
export const countEventsSql = `
  event_counted as (
    insert into contact_event_stats as s (contact_id, name, project_id, count, first_at, last_at, last_event_id)
    select contact_id, name, project_id, times, occurred_at, occurred_at, id
    from counted
    order by contact_id, name
    on conflict (contact_id, name) do update
    set count = s.count + excluded.count,
      first_at = least(s.first_at, excluded.first_at),
      last_event_id = case when excluded.last_at >= s.last_at then excluded.last_event_id else s.last_event_id end,
      last_at = greatest(s.last_at, excluded.last_at)
  )`;
