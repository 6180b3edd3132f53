import { z } from 'zod';
import { noProject } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { execute, queryFirst, queryValue } from '../../sql.ts';

interface JournalMarker {
  id: string;
  projectId?: string;
  name: 'events.deleted' | 'contacts.erased' | 'project.erased';
  data?: Record<string, unknown>;
}

/**
 * Appends a journal row stating that other rows were deleted, in a separate transaction after the deletion. Once the
 * journal's reader is past it (`readMarkerProgress`), none of those rows can reach ClickHouse. Idempotent by id.
 */
export async function writeJournalMarker(em: Em, marker: JournalMarker): Promise<void> {
  const { id, projectId = noProject, name, data = {} } = marker;
  const sql = `insert into events (id, project_id, name, kind, data, occurred_at) values ($1, $2, $3, 'activity', $4, now())
     on conflict (id) do nothing`;
  await execute(em, sql, [id, projectId, name, JSON.stringify(data)]);
}

const progressRow = z.object({
  isJournaled: z.boolean(),
  /**
   * Whether the journal's reader has passed the marker, so that none of the deleted rows can still arrive in
   * ClickHouse.
   */
  isStreamed: z.boolean(),
});
/** Progress of a `JournalMarker`. A statement, because positions in the journal compare as pairs of `xid8` and id. */
export async function readMarkerProgress(em: Em, id: string) {
  const sql = `select true as "isJournaled",
       coalesce((select (p.xid, p.event_id) >= (e.xid, e.id) from stream_positions p where p.name = 'clickhouse'), false)
         as "isStreamed"
     from events e where e.id = $1`;
  return (await queryFirst(em, progressRow, sql, [id])) ?? { isJournaled: false, isStreamed: false };
}

/** Whether a ClickHouse has ever received rows of the journal. */
export const wasJournalStreamed = (em: Em): Promise<boolean> =>
  queryValue(em, z.boolean(), `select exists (select from stream_positions where name = 'clickhouse')`);
