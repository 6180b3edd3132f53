/** Round values for the grid lines of a chart: from 0 to the first value that reaches `most`, in at most five steps. */
export function ticksUpTo(most: number): number[] {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1);
  const steps = Math.ceil(Math.max(most, 1) / step);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** The indexes of the points that get a label when at most `most` labels fit: every nth point, including the last. */
export function labeledPoints(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}
