import { noProject } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';
import type { DeletedName } from './record-event-deletion.ts';

export interface JournalMarker {
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

export const deletionMarker = ({ id, projectId, name }: DeletedName): JournalMarker => ({
  id,
  projectId,
  name: 'events.deleted',
  data: { name },
});
