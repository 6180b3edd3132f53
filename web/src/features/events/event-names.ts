import { searchForm } from '../../ui/search-form.ts';

export interface NamedCount {
  name: string;
  /** Events in the last 30 days; null if unknown, because the name is not among the most frequent. */
  count: number | null;
}

/** "step 2" before "step 10". */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Whether Posthaste itself emits the event: about emails, subscriptions and segments. */
export const isOfService = (name: string): boolean =>
  /^(?:email\..*|contact\.(?:un)?subscribed|segment\.[^.]+\.(?:entry|exit))$/s.test(name);

/**
 * The names that contain `search`, most frequent first.
 *
 * @param stats the most frequent names, and how many events have other names
 */
export function rankNames(
  names: readonly string[],
  stats: { byName: readonly { name: string; count: number }[]; otherCount: number },
  search: string,
): NamedCount[] {
  const counts = new Map(stats.byName.map(({ name, count }) => [name, count]));
  const wanted = searchForm(search.trim());
  return names
    .filter((name) => searchForm(name).includes(wanted))
    .map((name) => ({ name, count: counts.get(name) ?? (stats.otherCount === 0 ? 0 : null) }))
    .toSorted((one, other) => (other.count ?? 0) - (one.count ?? 0) || byName.compare(one.name, other.name));
}
