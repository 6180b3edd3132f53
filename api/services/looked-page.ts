export interface LookedPage<Row, Position> {
  rows: Row[];
  isFull: boolean;
  next: Position | undefined;
  searchedUntil: Position | undefined;
}

/** @param look reads one row more than `limit`, which shows whether another page follows */
export function lookedPage<Row, Position>(
  { rows, lookedUntil }: { rows: Row[]; lookedUntil?: Position | undefined },
  limit: number,
  positionOf: (row: Row) => Position,
): LookedPage<Row, Position> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  if (last === undefined) return { rows: page, isFull: false, next: lookedUntil, searchedUntil: lookedUntil };
  return { rows: page, isFull: true, next: positionOf(last), searchedUntil: undefined };
}
