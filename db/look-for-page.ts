export interface Look<Row, Position> {
  rows: Row[];
  /** The last row that was looked at, when there are more to look at beyond a page that is not full. */
  lookedUntil: Position | undefined;
}

/**
 * A page out of the next part of a long list that no index serves. The end of the part is read first, from an index alone,
 * and is a position, so concurrent inserts and deletes can't push rows out of the page.
 *
 * @param findEnd the last row of the part, undefined when the list ends in it
 * @param read the first `limit` matches up to that row and with it
 */
export async function lookForPage<Row, Position>(
  limit: number,
  findEnd: () => Promise<Position | undefined>,
  read: (end: Position | undefined) => Promise<Row[]>,
): Promise<Look<Row, Position>> {
  const end = await findEnd();
  const rows = await read(end);
  return { rows, lookedUntil: rows.length === limit ? undefined : end };
}
