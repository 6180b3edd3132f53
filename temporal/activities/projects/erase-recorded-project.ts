import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { eraseProjectData } from '../../../analytics/erase-project-data.ts';
import { type Slice, SliceOver } from '../../../core/slice.ts';
import { DomainRemoval } from '../../../db/entities/domain.ts';
import { ProjectErasure } from '../../../db/entities/project-security.ts';
import type { Em } from '../../../db/orm.ts';
import { writeJournalMarker } from '../../../db/statements/events/journal-marker.ts';
import { eraseProject } from '../../../db/statements/projects/erase-project.ts';
import { type ErasureOrder, findErasure } from '../../../db/statements/projects/erasure-orders.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import { removeIdentity } from '../domains/remove-identity.ts';
import { hasNeverStreamed, whenStreamed } from '../events/when-streamed.ts';
import { eraseUploads, type RemoveImage } from './erase-uploads.ts';

export interface ErasedStores {
  clickhouse: ClickHouse;
  identities: DomainIdentities;
  removeImage: RemoveImage;
}

/**
 * Executes a recorded erasure: Postgres, uploaded images, then ClickHouse once the journal has delivered everything before
 * it, and the identities of its domains at the provider. A store that fails does not stop the erasure in the others.
 * Idempotent; safe to interrupt anywhere.
 *
 * @throws SliceOver when another slice has to continue; at the end, what the stores threw: Error when the journal's
 * reader is behind, ClickHouseUnavailable when ClickHouse is unreachable, AggregateError of several
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
  await tryEach(slice, [
    // Before ClickHouse, whose deletions each slice of the images would repeat; a retry repeats them, with nothing left.
    () => eraseUploads(em, removeImage, erasure, slice),
    () => eraseFromClickHouse(em, clickhouse, erasure, slice),
    () => removeIdentities(em, identities, erasure),
  ]);
}

/** @throws what the parts threw, once all were tried; without that when the slice is over or aborted */
async function tryEach(slice: Slice, parts: (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    await part().catch((error) => {
      if (error instanceof SliceOver || slice.signal?.aborted) throw error;
      errors.push(error);
    });
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
  if (errors.length === 1) throw errors[0];
}

async function eraseFromClickHouse(
  em: Em,
  clickhouse: ClickHouse,
  { id, projectId, until }: ErasureOrder,
  { signal }: Slice,
): Promise<void> {
  if (await hasNeverStreamed(em, clickhouse)) return;
  await writeJournalMarker(em, { id, projectId, name: 'project.erased' });
  await whenStreamed(em, id, { signal });
  await eraseProjectData(clickhouse, projectId, until);
}

async function removeIdentities(
  em: Em,
  identities: DomainIdentities,
  { projectId, isProjectGone }: ErasureOrder,
): Promise<void> {
  if (!isProjectGone) return;
  for (const removed of await em.fork().find(DomainRemoval, { projectId }, { orderBy: { id: 'asc' } })) {
    await removeIdentity(em, identities, removed);
  }
}
