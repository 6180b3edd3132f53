import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';
import type { JsonObject } from '../../core/json-value.ts';

export function toPatch(data: ContactData | undefined): JsonObject {
  if (data === undefined) return {};
  if (data.remove.length === 0) return data.set;
  return { ...data.set, ...Object.fromEntries(data.remove.map((key) => [key, null])) };
}
