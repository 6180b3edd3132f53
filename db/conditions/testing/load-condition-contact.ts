import type { WorkflowCondition } from '../../../core/conditions/condition.ts';
import { conditionReferences } from '../../../core/conditions/references.ts';
import {
  type ConditionContact,
  countingWindows,
  type EventHistory,
} from '../../../core/conditions/testing/evaluate-condition.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import type { Em } from '../../orm.ts';
import { bindInto } from '../../sql.ts';
import { sql } from '../../testing/sql.ts';
import { loadSegmentDefinitions, membershipSql } from '../segment-definitions.ts';

interface ContactState extends Omit<ConditionContact, 'events' | 'segments' | 'campaigns'> {
  data: JsonObject;
  segments: string[];
}

/**
 * Loads the data of one contact that a condition needs, so that `evaluateCondition` agrees with the compiled SQL.
 *
 * @returns undefined when the project has no such contact
 */
export async function loadConditionContact(
  em: Em,
  projectId: string,
  contactId: string,
  condition: WorkflowCondition,
  now: Date,
): Promise<ConditionContact | undefined> {
  const { events, segments } = conditionReferences(condition);
  const state = await loadState(em, projectId, contactId, segments, now);
  if (state === undefined) return undefined;
  const windows = new Map([...countingWindows(condition)].map(([name, ms]) => [name, now.getTime() - ms]));
  return {
    ...state,
    events: await loadHistories(em, projectId, contactId, [...events], windows),
    segments: new Set(state.segments),
    campaigns: new Map(),
  };
}

async function loadState(
  em: Em,
  projectId: string,
  contactId: string,
  segments: ReadonlySet<string>,
  now: Date,
): Promise<ContactState | undefined> {
  const definitions = await loadSegmentDefinitions(em, projectId, segments);
  const parameters: unknown[] = [projectId, contactId];
  const bind = bindInto(parameters);
  const memberships = [...segments].map(
    (id) =>
      `case when ${membershipSql(definitions, id, { projectId, now }, bind)} then ${bind(id)}::text end`,
  );
  const [row] = await sql<ContactState>(
    em,
    `select c.id, c.email, c.subscribed, c.created_at as "createdAt", c.updated_at as "updatedAt",
       c.snoozed_until as "snoozedUntil", c.data,
       array_remove(array[${memberships.join(', ')}]::text[], null) as segments
     from contacts c where c.project_id = $1 and c.id = $2`,
    parameters,
  );
  return row;
}

async function loadHistories(
  em: Em,
  projectId: string,
  contactId: string,
  names: readonly string[],
  countedFrom: ReadonlyMap<string, number>,
): Promise<Map<string, EventHistory>> {
  if (names.length === 0) return new Map();
  const wanted = names.map((name) => {
    const from = countedFrom.get(name);
    return { name, from: from === undefined ? null : new Date(from) };
  });
  const rows = await sql<{ name: string; count: number; firstAt: Date; lastAt: Date; times: Date[] }>(
    em,
    `select s.name, s.count, s.first_at as "firstAt", s.last_at as "lastAt",
       array(
         select e.occurred_at from events e
         where e.project_id = s.project_id and e.name = s.name and e.contact_id = s.contact_id
           and e.occurred_at >= w."from" and e.kind <> 'activity'
       ) as times
     from json_to_recordset($3::json) as w(name text, "from" timestamptz)
     join contact_event_stats s on s.project_id = $1 and s.name = w.name and s.contact_id = $2`,
    [projectId, contactId, JSON.stringify(wanted)],
  );
  return new Map(rows.map(({ name, ...history }) => [name, history]));
}
