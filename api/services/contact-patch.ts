import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';
import type { JsonObject } from '../../core/json-value.ts';

/** The stored part of `data` as the statements take it: null removes a key. */
export function toPatch(data: ContactData | undefined): JsonObject {
  if (data === undefined) return {};
  return { ...data.set, ...Object.fromEntries(data.remove.map((key) => [key, null])) };
}
