import type { JsonObject } from '../json-value.ts';

/** A change of a contact's `data`: keys that are in neither part keep their values. */
export interface ContactDataPatch {
  set: JsonObject;
  remove: string[];
}

/**
 * What patching does to a contact's `data`, in memory. The database does the same in SQL
 * (`(data - remove) || set`); this is the model that its tests compare with. A value is replaced as a whole,
 * never merged into.
 */
export function applyDataPatch(current: JsonObject, patch: ContactDataPatch): JsonObject {
  const removed = new Set(patch.remove);
  const kept = Object.entries(current).filter(([key]) => !removed.has(key));
  return { ...Object.fromEntries(kept), ...patch.set };
}
