import { endWhenDue, type Slice, wholeWork } from '../../../core/slice.ts';
import { Upload } from '../../../db/entities/upload.ts';
import type { Em } from '../../../db/orm.ts';
import { removeUpload } from '../../../db/statements/uploads/count-uploads.ts';

const pageSize = 200;

/** Removes a file from every store; a missing file is not an error. */
export type RemoveImage = (key: string) => Promise<void>;

/** Deletes files before their rows, so that an interrupted run can be retried. @returns the number removed */
async function removeAll(
  em: Em,
  remove: RemoveImage,
  page: () => Promise<Upload[]>,
  slice = wholeWork,
): Promise<number> {
  let removed = 0;
  for (let uploads = await page(); uploads.length > 0; uploads = await page()) {
    for (const { key } of uploads) {
      slice.signal?.throwIfAborted();
      await remove(key);
      await removeUpload(em, key);
      removed += 1;
      endWhenDue(slice);
    }
    em.clear();
  }
  return removed;
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
  const own = em.fork();
  const page = () => own.getRepository(Upload).listOfProject(projectId, until, pageSize);
  await removeAll(own, remove, page, slice);
}

export function sweepUploads(em: Em, remove: RemoveImage): Promise<number> {
  const own = em.fork();
  return removeAll(own, remove, () => own.getRepository(Upload).listUnfinished(pageSize));
}
