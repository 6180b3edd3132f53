export interface Scan<Row, Position> {
  rows: Row[];
  /** The last row scanned, if the page is not full and more rows follow. */
  scannedUntil: Position | undefined;
}

/**
 * Finds a page within the next part of a long list that no index serves. The end of the part is read first, from an
 * index alone. It is a position, so concurrent inserts and deletes can't push rows out of the page.
 *
 * @param findEnd the last row of the part; undefined when the list ends within it
 * @param read the first `limit` matches up to and including that row
 */
export async function scanPage<Row, Position>(
  limit: number,
  findEnd: () => Promise<Position | undefined>,
  read: (end: Position | undefined) => Promise<Row[]>,
): Promise<Scan<Row, Position>> {
  const end = await findEnd();
  const rows = await read(end);
  return { rows, scannedUntil: rows.length === limit ? undefined : end };
}
