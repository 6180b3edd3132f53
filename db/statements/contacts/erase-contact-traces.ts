import { z } from 'zod';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';
import { lockBelongingsSql, removeBelongingsSql } from './contact-belongings-sql.ts';

const eraseSql = `
with ${lockBelongingsSql},
removed as (
  select gone.id from unnest($2::uuid[]) gone (id) where not exists (select from held h where h.id = gone.id)
),
${removeBelongingsSql},
happened as materialized (
  select e.id, e.email_id is not null and e.name like 'email.%' and e.name <> 'email.received' as is_kept
  from removed r
  cross join lateral (
    select id, email_id, name from events e
    where e.project_id = $1 and e.contact_id = r.id and e.kind <> 'activity'
    union all
    select id, email_id, name from events e where e.contact_id = r.id and e.kind = 'activity'
  ) e
),
kept as (
  update events e
  set contact_id = null,
    data = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(e.data) where key = any($3::text[]))
  where id = any(array(select id from happened where is_kept))
),
erased as (
  delete from events where id = any(array(select id from happened where not is_kept))
)
select count(*)::int as events from happened`;

/**
 * Erases the journal rows of deleted contacts, including those that concurrent transactions wrote during the deletion.
 * Events of their emails stay, without the contact. Idempotent.
 *
 * @returns the number of erased or anonymized events
 */
export function eraseContactTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
): Promise<number> {
  return queryValue(em, z.int(), eraseSql, [projectId, contactIds, keptEmailData]);
}
