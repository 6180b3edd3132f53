/** Options of an infinite query over a list that is read by cursor. */
export const byCursor = {
  pageParamName: 'cursor',
  // The client leaves out what is null.
  initialPageParam: null,
  getNextPageParam: (page: { cursor: string | null }) => page.cursor,
} as const;
