import { joinByKeySql } from './join-by-key.ts';
import { laterThanSql } from './later-than-sql.ts';
import { lockTimeoutSql } from './lock-timeout-sql.ts';

/**
 * Rows of `mergeContactWrites`, the statement's $1; optional columns are omitted.
 *
 * @param lockMs placeholder of the statement's lock timeout, in milliseconds as text; null for that of the session
 */
export const contactInputSql = (lockMs?: string) => `
    select ord, project_id, email, contact_id, subscribed, new_subscribed, set_data, coalesce(removed, '{}') as removed,
      flip_id, flip_at, coalesce(created_at, updated_at) as created_at, updated_at
    from json_to_recordset($1::json) as t(
      ord int, project_id uuid, email text, contact_id uuid, subscribed boolean, new_subscribed boolean,
      set_data jsonb, removed text[], flip_id uuid, flip_at timestamptz, created_at timestamptz,
      updated_at timestamptz)${lockMs === undefined ? '' : `, ${lockTimeoutSql(lockMs)} patience`}`;

/**
 * CTEs that create or patch contacts, shared by every statement that does so. They define
 * - `contact_input`: the rows of `input`;
 * - `contact (ord, id, is_new)`: a row per input row;
 * - `contact_flip (id, project_id, name, contact_id, occurred_at)`: the events contact.subscribed and
 *   contact.unsubscribed, to pass to `countEventsSql`.
 *
 * Unchanged contacts are not written. The others are locked in one order, whether they exist or not, to avoid
 * deadlocks; a contact that another transaction creates concurrently is patched.
 *
 * @param input query with the columns of `contactInputSql`
 */
export const upsertContactsSql = (input: string) => `
  contact_input as materialized (${input}
  ),
  contact_target as materialized (
    select i.*, c.id as existing_id,
      c.id is null
        or (c.data - i.removed) || i.set_data <> c.data
        or (i.subscribed is not null and (i.subscribed <> c.subscribed or c.snoozed_until is not null))
        as changes
    from contact_input i
    left join lateral (${joinByKeySql('contacts c where c.project_id = i.project_id and c.email = i.email')}) c on true
  ),
  -- Input that the row proposed for insertion does not carry, for the few contacts that need it.
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
        ${laterThanSql('excluded.updated_at', 'c.updated_at')}
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
