import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNote } from './error-note.tsx';
import { SkeletonRows } from './skeleton.tsx';

export interface LoadedProps<Data> {
  query: Pick<
    UseQueryResult<Data, unknown>,
    'data' | 'error' | 'errorUpdateCount' | 'isFetching' | 'refetch'
  >;
  /** Shown while loading. */
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows the result of a query; until it arrives a skeleton, or the error with a retry button. */
export function Loaded<Data>({ query, skeleton, children }: LoadedProps<Data>) {
  const { data, error, errorUpdateCount, isFetching, refetch } = query;
  const [lastError, setLastError] = useState(error);
  if (error && error !== lastError) setLastError(error);
  if (data !== undefined) return children(data);
  // While a failed query is being retried, react-query reports no error until it fails again.
  const shown = error ?? (errorUpdateCount > 0 ? lastError : null);
  if (shown) return <ErrorNote error={shown} onRetry={() => void refetch()} isRetrying={isFetching} />;
  return skeleton ?? <SkeletonRows />;
}

interface PagesProps<Page, Row> {
  query: UseInfiniteQueryResult<InfiniteData<Page>, unknown>;
  rowsOf: (page: Page) => readonly Row[];
  /** Shown instead of an empty list. */
  empty: ReactNode;
  children: (rows: Row[]) => ReactNode;
}

/** A list that is read by cursor, with a button that loads the next page. */
export function Pages<Page, Row>({ query, rowsOf, empty, children }: PagesProps<Page, Row>) {
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => [...rowsOf(page)]);
        if (rows.length === 0) return empty;
        return (
          <>
            {children(rows)}
            {query.isFetchNextPageError && !query.isFetchingNextPage && <ErrorNote error={query.error} />}
            {query.hasNextPage && (
              <Button
                className="self-center"
                isPending={query.isFetchingNextPage}
                onPress={() => void query.fetchNextPage()}
              >
                Show more
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface PagerProps {
  page: number;
  totalPages: number;
  onPage: (page: number) => void;
}

/** For lists that are read by page number. */
export function Pager({ page, totalPages, onPage }: PagerProps) {
  if (totalPages <= 1) return null;
  return (
    <nav aria-label="Pages" className="flex items-center justify-center gap-2 text-muted">
      <Button isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
        Previous
      </Button>
      <span data-numeric>
        Page {page} of {totalPages}
      </span>
      <Button isDisabled={page >= totalPages} onPress={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

/** Shown when the page has no rows any more. */
export function PastLastPage({ onFirst }: { onFirst: () => void }) {
  return (
    <EmptyState
      title="Nothing is left on this page"
      action={<Button onPress={onFirst}>Go to the first page</Button>}
    />
  );
}
