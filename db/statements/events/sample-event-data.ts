import { z } from 'zod';
import type { JsonValue } from '../../../core/json-value.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const sampledNames = 200;
const sampledEvents = 20;
const mostKeys = 1_000;

const sampleRow = z.object({ key: z.string(), value: z.json() });

/**
 * Keys that appear in the data of events which start or wake the project's workflows, each with an example value.
 * Reads a few events per name, and a limited number of names and keys.
 */
export function sampleEventData(em: Em, projectId: string): Promise<{ key: string; value: JsonValue }[]> {
  const sql = `with listened as (
       select event_name as name from workflows where project_id = $1
       union
       select s.config ->> 'eventName' from workflow_steps s join workflows w on w.id = s.workflow_id
       where w.project_id = $1 and s.type = 'WAIT_FOR_EVENT'
     )
     select distinct on (d.key collate "C") d.key, d.value
     from (select name from listened order by name limit ${sampledNames}) l
     cross join lateral (
       select e.data from events e
       where e.project_id = $1 and e.name = l.name and e.kind <> 'activity'
       -- The order of events_history. Without it, Postgres may search the journal for a name that nobody tracked.
       order by e.contact_id, e.occurred_at
       limit ${sampledEvents}
     ) e
     cross join lateral (
       select * from jsonb_each(e.data) each where each.value <> 'null' limit ${mostKeys}
     ) d
     order by d.key collate "C"
     limit ${mostKeys}`;
  return query(em, sampleRow, sql, [projectId]);
}
