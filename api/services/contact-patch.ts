import type { ContactData } from '../../core/contact-data/parse-contact-data.ts';

/** The stored part of `data` as the statements take it: null removes a key. */
export function toPatch(data: ContactData | undefined): Record<string, unknown> {
  if (data === undefined) return {};
  return { ...data.set, ...Object.fromEntries(data.remove.map((key) => [key, null])) };
}
