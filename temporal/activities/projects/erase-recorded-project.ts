import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { eraseProjectData } from '../../../analytics/erase-project-data.ts';
import type { Slice } from '../../../core/slice.ts';
import { DomainRemoval } from '../../../db/entities/domain.ts';
import { ProjectErasure } from '../../../db/entities/project-security.ts';
import type { Em } from '../../../db/orm.ts';
import { writeJournalMarker } from '../../../db/statements/events/write-journal-marker.ts';
import { eraseProject } from '../../../db/statements/projects/erase-project.ts';
import { findErasure } from '../../../db/statements/projects/find-erasure.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import { removeIdentity } from '../domains/remove-identity.ts';
import { whenStreamed } from '../events/when-streamed.ts';
import { eraseUploads, type RemoveImage } from './erase-uploads.ts';

export interface ErasedStores {
  clickhouse: ClickHouse;
  identities: DomainIdentities;
  removeImage: RemoveImage;
}

/**
 * Executes a recorded erasure: Postgres, uploaded images, then ClickHouse once the journal has delivered everything before
 * it, and the identities of its domains at the provider. Idempotent; safe to interrupt anywhere.
 *
 * @throws SliceOver when another slice has to continue, Error when the journal's reader is behind, ClickHouseUnavailable when ClickHouse is unreachable
 */
export async function eraseRecordedProject(
  em: Em,
  { clickhouse, identities, removeImage }: ErasedStores,
  erasureId: string,
  slice: Slice,
): Promise<void> {
  const erasure = await findErasure(em, erasureId);
  if (erasure === undefined) return;
  await eraseProject(em, erasure, slice);
  await em.nativeUpdate(ProjectErasure, { id: erasureId, erasedAt: null }, { erasedAt: new Date() });
  // Before ClickHouse, whose deletions each slice of the images would repeat.
  await eraseUploads(em, removeImage, erasure, slice);
  await writeJournalMarker(em, { id: erasureId, projectId: erasure.projectId, name: 'project.erased' });
  await whenStreamed(em, erasureId, { signal: slice.signal });
  await eraseProjectData(clickhouse, erasure.projectId, erasure.until);
  if (!erasure.isProjectGone) return;
  const { projectId } = erasure;
  for (const removed of await em.fork().find(DomainRemoval, { projectId }, { orderBy: { id: 'asc' } })) {
    await removeIdentity(em, identities, removed);
  }
}
