import type { Em } from '../../orm.ts';
import { execute } from '../../sql.ts';

/**
 * Serializes changes of segment references within a project. Take it before storing a reference and reading its
 * segment, and before deleting a segment and reading its references. An advisory lock, because there is no row to lock.
 */
export async function lockSegmentReferences(em: Em, projectId: string): Promise<void> {
  await execute(em, `select pg_advisory_xact_lock(hashtextextended('segment references ' || $1, 0))`, [
    projectId,
  ]);
}
