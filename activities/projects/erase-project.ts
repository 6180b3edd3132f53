import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { eraseProjectData } from '../../analytics/erase-project.ts';
import type { Em } from '../../db/orm.ts';
import { listDomainRemovals } from '../../db/repositories/domains/domains.ts';
import { eraseProject } from '../../db/repositories/projects/erase-project.ts';
import { findErasure, journalErasure, markErased } from '../../db/repositories/projects/project-erasures.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import { removeIdentity } from '../domains/remove-identity.ts';
import { whenStreamed } from '../events/when-streamed.ts';
import { eraseUploads, type RemoveImage } from './erase-uploads.ts';

/**
 * Carries a recorded erasure through: Postgres, then ClickHouse once nothing of it can be on its way there, then its
 * uploaded images, and the identities of its domains at the provider. Can be cut off and repeated.
 *
 * @throws Error when the journal's reader is behind, ClickHouseUnavailable while ClickHouse is away
 */
export async function eraseRecordedProject(
  em: Em,
  clickhouse: ClickHouse,
  identities: DomainIdentities,
  removeImage: RemoveImage,
  erasureId: string,
  signal: AbortSignal,
): Promise<void> {
  const erasure = await findErasure(em, erasureId);
  if (erasure === undefined) return;
  await eraseProject(em, erasure, signal);
  await markErased(em, erasureId);
  await journalErasure(em, erasure);
  await whenStreamed(em, erasureId, signal);
  await eraseProjectData(clickhouse, erasure.projectId, erasure.until);
  await eraseUploads(em, removeImage, erasure, signal);
  if (!erasure.isProjectGone) return;
  for (const removed of await listDomainRemovals(em, erasure.projectId)) {
    await removeIdentity(em, identities, removed);
  }
}
