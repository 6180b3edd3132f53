/** Options of an infinite query over a list that is read by cursor. */
export const byCursor = {
  pageParamName: 'cursor',
  // The client omits query parameters that are null.
  initialPageParam: null,
  getNextPageParam: (page: { cursor: string | null }) => page.cursor,
} as const;

interface OfPages {
  state: { data?: { pages: readonly unknown[] } | undefined };
}

/**
 * How often to refetch while one page is loaded. A refetch reads all loaded pages, and moves the rows under somebody who has
 * gone on reading.
 */
export const onFirstPage =
  (ms: number) =>
  ({ state }: OfPages): number | false =>
    (state.data?.pages.length ?? 1) === 1 && ms;
