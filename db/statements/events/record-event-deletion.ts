import { z } from 'zod';
import { newId } from '../../../core/new-id.ts';
import type { EventDeletion } from '../../entities/event.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

/** After this time, the workflow completes the deletion in place of the call. */
const callTakesAtMost = `interval '2 minutes'`;

export type DeletedName = Pick<EventDeletion, 'id' | 'projectId' | 'name' | 'xid'>;

/**
 * Records a pending deletion of a name's events and queues the command of the workflow that completes it. A statement,
 * because the database's clock and transaction id determine which events are included.
 */
export async function recordEventDeletion(
  em: Em,
  projectId: string,
  name: string,
): Promise<DeletedName & Pick<EventDeletion, 'before'>> {
  const id = newId();
  const sql = `with command as (
       insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
       values (uuidv7(), 'events.delete', $1, $2, now() + ${callTakesAtMost})
     )
     insert into event_deletions (id, project_id, name, before) values ($1, $2, $3, clock_timestamp())
     returning before, xid::text as xid`;
  const row = await queryRow(em, z.object({ before: z.date(), xid: z.string() }), sql, [id, projectId, name]);
  return { id, projectId, name, ...row };
}
