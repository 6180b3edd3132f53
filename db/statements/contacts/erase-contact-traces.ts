import { z } from 'zod';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import type { Em } from '../../orm.ts';
import { execute, queryValue } from '../../sql.ts';
import { lockBelongingsSql, removeBelongingsSql } from './contact-belongings-sql.ts';

const eventsAtOnce = 5_000;

const removedSql = `
removed as (
  select gone.id from unnest($2::uuid[]) gone (id) where not exists (select from contacts c where c.id = gone.id)
)`;

const eraseSql = `with ${lockBelongingsSql}, ${removedSql}, ${removeBelongingsSql} select from removed_contact`;

const eraseEventsSql = `
with ${removedSql},
happened as materialized (
  select e.id, e.email_id is not null and e.name like 'email.%' and e.name <> 'email.received' as is_kept
  from removed r
  cross join lateral (
    select id, email_id, name from events e
    where e.project_id = $1 and e.contact_id = r.id and e.kind <> 'activity'
    union all
    select id, email_id, name from events e where e.contact_id = r.id and e.kind = 'activity'
  ) e
  limit ${eventsAtOnce}
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
 * Events of their emails stay, without the contact. Idempotent. The events go in several statements: the journal's stream
 * stands still while one transaction is open.
 *
 * @param signal stops it between two statements
 * @returns the number of erased or anonymized events
 */
export async function eraseContactTraces(
  em: Em,
  projectId: string,
  contactIds: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  await execute(em, eraseSql, [projectId, contactIds]);
  for (let events = 0; ; ) {
    signal?.throwIfAborted();
    const erased = await queryValue(em, z.int(), eraseEventsSql, [projectId, contactIds, keptEmailData]);
    events += erased;
    if (erased < eventsAtOnce) return events;
  }
}
