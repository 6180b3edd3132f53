/** The rows of a page, in the order of a time and an id, latest first. */
export interface ListWindow {
  limit: number;
  offset: number;
  /** The last row of the page before, whose time is ISO 8601. */
  after?: { at: string; id: string } | undefined;
}
