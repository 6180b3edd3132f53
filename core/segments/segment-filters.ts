import type { Condition, Filter, Predicate } from '../conditions/condition.ts';

export interface PlacedFilter<P = Predicate> {
  path: string;
  filter: Filter<P>;
}

export function placedFilters<P>({ groups }: Condition<P>, path: string): PlacedFilter<P>[] {
  return groups.flatMap(({ filters, conditions }, group) => {
    const at = `${path}.groups.${group}`;
    const own = filters.map((filter, index) => ({ path: `${at}.filters.${index}`, filter }));
    return conditions ? [...own, ...placedFilters(conditions, `${at}.conditions`)] : own;
  });
}
