import type { JsonObject } from '../json-value.ts';
import type { ContactData } from './parse-contact-data.ts';

export function toPatch(data: ContactData | null | undefined): JsonObject {
  if (!data) return {};
  if (data.remove.length === 0) return data.set;
  return { ...data.set, ...Object.fromEntries(data.remove.map((key) => [key, null])) };
}
