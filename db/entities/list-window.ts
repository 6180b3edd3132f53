/** A page of rows, ordered by a time and an id, latest first. */
export interface ListWindow {
  limit: number;
  offset: number;
  /** The last row of the previous page; `at` is ISO 8601. */
  after?: { at: string; id: string } | undefined;
}
