import type { Condition, Filter, Predicate } from '../conditions/condition.ts';

/** A filter and where it stands. */
export interface PlacedFilter<P = Predicate> {
  /** Such as `condition.groups.0.filters.1`. */
  path: string;
  filter: Filter<P>;
}

/** Every filter of a condition, however deep. @param path where the condition stands in the request */
export function placedFilters<P>({ groups }: Condition<P>, path: string): PlacedFilter<P>[] {
  return groups.flatMap(({ filters, conditions }, group) => {
    const at = `${path}.groups.${group}`;
    const own = filters.map((filter, index) => ({ path: `${at}.filters.${index}`, filter }));
    return conditions ? [...own, ...placedFilters(conditions, `${at}.conditions`)] : own;
  });
}
