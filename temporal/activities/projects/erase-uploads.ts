import { endWhenDue, type Slice, wholeWork } from '../../../core/slice.ts';
import { Upload } from '../../../db/entities/upload.ts';
import type { Em } from '../../../db/orm.ts';
import { removeUpload } from '../../../db/statements/uploads/count-uploads.ts';

const pageSize = 200;

/** Removes a file from every store; a missing file is not an error. */
export type RemoveImage = (key: string) => Promise<void>;

/** Deletes files before their rows, so that an interrupted run can be retried. */
async function removeUploads(
  em: Em,
  remove: RemoveImage,
  uploads: readonly Upload[],
  slice = wholeWork,
): Promise<void> {
  for (const { key } of uploads) {
    slice.signal?.throwIfAborted();
    await remove(key);
    await removeUpload(em, key);
    endWhenDue(slice);
  }
}

/**
 * Removes a project's images created up to `until`. Idempotent; safe to interrupt anywhere.
 *
 * @throws SliceOver when another slice has to continue
 */
export async function eraseUploads(
  em: Em,
  remove: RemoveImage,
  { projectId, until }: { projectId: string; until: Date },
  slice: Slice,
): Promise<void> {
  for (;;) {
    const own = em.fork();
    const uploads = await own.getRepository(Upload).listOfProject(projectId, until, pageSize);
    if (uploads.length === 0) return;
    await removeUploads(own, remove, uploads, slice);
  }
}

/** When this many projects have failed, the store is considered down. */
const mostFailures = 10;

/**
 * Removes what uploads that never ended have left. An image that can't be removed keeps only those of its project.
 *
 * @returns the number removed
 * @throws the first failure, after the other projects
 */
export async function sweepUploads(em: Em, remove: RemoveImage): Promise<number> {
  const failures = new Map<string, unknown>();
  let removed = 0;
  while (failures.size < mostFailures) {
    const own = em.fork();
    const uploads = await own.getRepository(Upload).listUnfinished([...failures.keys()], pageSize);
    if (uploads.length === 0) break;
    for (const [projectId, ofProject] of Map.groupBy(uploads, (upload) => upload.projectId)) {
      try {
        await removeUploads(own, remove, ofProject);
        removed += ofProject.length;
      } catch (error) {
        failures.set(projectId, error);
      }
    }
  }
  for (const failure of failures.values()) throw failure;
  return removed;
}
