import type { Em } from '../../db/orm.ts';
import { listUnfinishedUploads, listUploads, removeUpload } from '../../db/repositories/uploads/uploads.ts';

/** Images looked up at a time. */
const pageSize = 200;

/** Takes a file away wherever it may be; one that is not there is no error. */
export type RemoveImage = (key: string) => Promise<void>;

/** Files first, then their rows: what is cut off goes on where it was. */
async function removeAll(
  em: Em,
  remove: RemoveImage,
  page: () => Promise<string[]>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (let keys = await page(); keys.length > 0; keys = await page()) {
    for (const key of keys) {
      signal?.throwIfAborted();
      await remove(key);
      await removeUpload(em, key);
      removed += 1;
    }
  }
  return removed;
}

/** Removes the images of a project that were made until an instant. Can be cut off and repeated. */
export async function eraseUploads(
  em: Em,
  remove: RemoveImage,
  erasure: { projectId: string; until: Date },
  signal: AbortSignal,
): Promise<void> {
  await removeAll(em, remove, () => listUploads(em, erasure.projectId, erasure.until, pageSize), signal);
}

/** Removes what is left of uploads whose process died. @returns how many */
export function sweepUploads(em: Em, remove: RemoveImage): Promise<number> {
  return removeAll(em, remove, () => listUnfinishedUploads(em, pageSize));
}
