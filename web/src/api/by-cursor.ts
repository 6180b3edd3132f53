/** Options of an infinite query over a list that is read by cursor. */
export const byCursor = {
  pageParamName: 'cursor',
  // The client omits query parameters that are null.
  initialPageParam: null,
  getNextPageParam: (page: { cursor: string | null }) => page.cursor,
} as const;
