import type { JsonValue } from '../../../core/json-value.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/**
 * Names of events that the project's contacts have had, in order, at most `limit`. Jumps from name to name in the
 * primary key of the statistics instead of reading every row.
 */
export async function listHistoryNames(em: Em, projectId: string, limit: number): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    em,
    `with recursive listed (name) as (
       (select name from contact_event_stats where project_id = $1 order by name limit 1)
       union all
       select (select s.name from contact_event_stats s where s.project_id = $1 and s.name > l.name
         order by s.name limit 1)
       from listed l where l.name is not null
     )
     select name from listed where name is not null limit $2`,
    [projectId, limit],
  );
  return rows.map(({ name }) => name);
}

/** Events of a name that are looked at for the keys of their data. */
const sampledEvents = 20;

/** Keys of the data of events that start or wake the project's workflows, with a value that each had. */
export function sampleEventData(em: Em, projectId: string): Promise<{ key: string; value: JsonValue }[]> {
  return sql(
    em,
    `with listened as (
       select event_name as name from workflows where project_id = $1
       union
       select s.config ->> 'eventName' from workflow_steps s join workflows w on w.id = s.workflow_id
       where w.project_id = $1 and s.type = 'WAIT_FOR_EVENT'
     )
     select distinct on (d.key collate "C") d.key, d.value
     from listened l
     cross join lateral (
       select e.data from events e
       where e.project_id = $1 and e.name = l.name and e.kind <> 'activity' limit ${sampledEvents}
     ) e
     cross join lateral jsonb_each(e.data) d
     where d.value <> 'null'
     order by d.key collate "C"
     limit 1000`,
    [projectId],
  );
}
