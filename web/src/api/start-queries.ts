import { queryClient } from './query-client.ts';

interface Startable<Data = unknown> {
  queryKey: readonly unknown[];
  queryFn: (...context: never[]) => Data | Promise<Data>;
}

/**
 * Starts the queries of a page on click, while its code downloads; the page shows their data and retries those that
 * failed. Does nothing on hover, because calls count against the project's request limit.
 *
 * @param queries by `$api.queryOptions`
 * @param pages the queries that the page reads by cursor
 */
export function startQueries(
  { preload }: { preload: boolean },
  queries: readonly Startable[],
  pages: readonly Startable[] = [],
): void {
  if (preload) return;
  // as: the functions of `$api.queryOptions` take the context of any query.
  for (const query of queries) void queryClient.prefetchQuery(query as never);
  // The first page has no cursor, so it is the answer to the query itself.
  for (const query of pages)
    void queryClient.prefetchInfiniteQuery({ ...query, initialPageParam: null } as never);
}

/** Starts a query as soon as the response to another one supplies its parameters, while the page renders. */
export function startNext<Data>(
  { preload }: { preload: boolean },
  query: Startable<Data>,
  nextOf: (data: Data) => Startable | undefined,
): void {
  if (preload) return;
  // as: as above.
  queryClient.fetchQuery<Data>(query as never).then(
    (data) => {
      const next = nextOf(data);
      if (next) void queryClient.prefetchQuery(next as never);
    },
    // Ignored: the page repeats the query and shows its error.
    () => {},
  );
}
