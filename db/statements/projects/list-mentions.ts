import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query, queryColumn } from '../../sql.ts';

/** A part of a record, and what in it may refer to fields, events and segments. */
const parts = {
  segments: { id: 'o.id', from: 'segments o', content: 'o.condition' },
  campaigns: { id: 'o.id', from: 'campaigns o', content: 'o.audience_condition' },
  workflows: {
    id: 's.id',
    from: 'workflows o join workflow_steps s on s.workflow_id = o.id',
    content: `jsonb_build_object('type', s.type, 'config', s.config, 'eventName', o.event_name)`,
  },
};

export type Mentioning = keyof typeof parts;

const newestFirst = 'order by o.created_at desc, o.id desc';

/**
 * Ids of segments, campaigns or steps of workflows in which a text occurs, newest record first. Whether they refer to it
 * shows `readMentions`. There may be tens of thousands.
 */
export function listMentions(em: Em, projectId: string, kind: Mentioning, text: string): Promise<string[]> {
  const { id, from, content } = parts[kind];
  const sql = `select ${id} from ${from} where o.project_id = $1 and strpos(${content}::text, $2) > 0 ${newestFirst}`;
  return queryColumn(em, z.uuid(), sql, [projectId, JSON.stringify(text).slice(1, -1)]);
}

const mentionRow = z.object({ id: z.uuid(), name: z.string(), content: z.unknown() });

/**
 * Records of a few ids of `listMentions`, newest first, once per id: `content` is the condition, or type, config and
 * event name of the step.
 */
export function readMentions(em: Em, kind: Mentioning, ids: readonly string[]) {
  const { id, from, content } = parts[kind];
  const sql = `select o.id, o.name, ${content} as content from ${from} where ${id} = any($1::uuid[]) ${newestFirst}`;
  return query(em, mentionRow, sql, [ids]);
}
