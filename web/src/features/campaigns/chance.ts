interface Part {
  part: number;
  total: number;
}

/** Of a smaller part, in either of them, chance says nothing. */
const fewest = 5;
/** Standard errors: a difference of equal shares is larger in 5 of 100 comparisons. */
const rareErrors = 1.96;

/** Whether the difference of two shares is more than chance would make, by a two-proportion z-test. */
export function compareShares(one: Part, other: Part): 'few' | 'chance' | 'real' {
  const total = one.total + other.total;
  const pooled = (one.part + other.part) / total;
  const smaller = Math.min(one.total, other.total);
  if (!(smaller * Math.min(pooled, 1 - pooled) >= fewest)) return 'few';
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.total + 1 / other.total));
  const difference = Math.abs(one.part / one.total - other.part / other.total);
  return difference > rareErrors * error ? 'real' : 'chance';
}
