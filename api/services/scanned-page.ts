export interface ScannedPage<Row, Position> {
  rows: Row[];
  isFull: boolean;
  next: Position | undefined;
  searchedUntil: Position | undefined;
}

/** @param scan of one row more than `limit`, which shows whether another page follows */
export function toScannedPage<Row, Position>(
  { rows, scannedUntil }: { rows: Row[]; scannedUntil?: Position | undefined },
  limit: number,
  positionOf: (row: Row) => Position,
): ScannedPage<Row, Position> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  if (last === undefined)
    return { rows: page, isFull: false, next: scannedUntil, searchedUntil: scannedUntil };
  return { rows: page, isFull: true, next: positionOf(last), searchedUntil: undefined };
}
