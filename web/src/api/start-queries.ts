import { queryClient } from './query-client.ts';

interface Startable<Data = unknown> {
  queryKey: readonly unknown[];
  queryFn: (...context: never[]) => Data | Promise<Data>;
}

/**
 * Starts the queries of a page with the click, while its code downloads; the page shows their data and retries those that
 * failed. Not while a link is hovered: calls count against the request limit of the project.
 *
 * @param queries by `$api.queryOptions`
 * @param pages those that the page reads by cursor
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

/** Starts a query as soon as the response to another one says which, while the page renders. */
export function startNext<Data>(
  { preload }: { preload: boolean },
  query: Startable<Data>,
  nextOf: (data: Data) => Startable | undefined,
): void {
  if (preload) return;
  // as: above.
  queryClient.fetchQuery<Data>(query as never).then(
    (data) => {
      const next = nextOf(data);
      if (next) void queryClient.prefetchQuery(next as never);
    },
    // The page asks again and says so.
    () => {},
  );
}
