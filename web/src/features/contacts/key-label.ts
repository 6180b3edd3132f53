import { searchForm } from '../../ui/search-form.ts';

/** "First name" for `firstName` and `first_name`; keys in another style stay unchanged. */
export function keyLabel(key: string): string {
  if (!/^[a-z][A-Za-z0-9_]*$/.test(key)) return key;
  const spaced = key
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A project may have 10,000 fields. */
const mostShown = 100;

/** The keys whose name or label contains the text, the first hundred of them. */
export function matchingKeys(keys: readonly string[], text: string): string[] {
  const sought = searchForm(text.trim());
  return keys.filter((key) => searchForm(`${key}\n${keyLabel(key)}`).includes(sought)).slice(0, mostShown);
}
