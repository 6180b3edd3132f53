import type { JsonObject } from '../../json-value.ts';
import type { ContactData } from '../parse-contact-data.ts';

/** Model of the SQL `(data - remove) || set`: values are never merged. */
export function applyDataPatch(current: JsonObject, patch: Pick<ContactData, 'set' | 'remove'>): JsonObject {
  const removed = new Set(patch.remove);
  const kept = Object.entries(current).filter(([key]) => !removed.has(key));
  return { ...Object.fromEntries(kept), ...patch.set };
}
