import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';

interface Page {
  data: readonly unknown[];
  searchedUntil: string | null;
}

interface SearchQuery {
  data: { pages: Page[] } | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage: () => unknown;
}

export interface ContactSearch {
  /** How far the search has got, if it has not found a full page. */
  searchedUntil: string | null;
  isSearching: boolean;
  stop: () => void;
  resume: () => void;
}

/** Whether the last call completed a page of rows, counting from the previous full page. */
function isFilled(pages: readonly Page[], pageSize: number): boolean {
  let found = 0;
  let filled = false;
  for (const { data } of pages) {
    found += data.length;
    filled = found >= pageSize;
    if (filled) found = 0;
  }
  return filled;
}

/**
 * Continues a search, whose calls scan some of the contacts each, until it has found a full page or is stopped.
 *
 * @param key of the filter; a new key starts a new search
 */
export function useContactSearch(query: SearchQuery, key: string, pageSize: number): ContactSearch {
  const [stoppedFor, setStoppedFor] = useState<string>();
  const pages = query.data?.pages ?? [];
  const searchedUntil = (query.hasNextPage && pages.at(-1)?.searchedUntil) || null;
  const isSearching =
    searchedUntil !== null && stoppedFor !== key && !query.isError && !isFilled(pages, pageSize);
  const { fetchNextPage } = query;
  const isNext = isSearching && !query.isFetching;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  return {
    searchedUntil,
    isSearching,
    stop: () => setStoppedFor(key),
    resume: () => {
      setStoppedFor(undefined);
      void fetchNextPage();
    },
  };
}

interface SearchProgressProps {
  search: ContactSearch;
  sort: 'email' | 'createdAt' | undefined;
  dir: 'asc' | 'desc' | undefined;
}

/** How far a search has got, with a button that stops or continues it. */
export function SearchProgress({ search, sort, dir }: SearchProgressProps) {
  const { searchedUntil, isSearching, stop, resume } = search;
  if (searchedUntil === null) return null;
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 text-sm text-muted">
      <p role="status">
        {sort === 'email' ? (
          `Searched addresses ${dir === 'desc' ? 'down' : 'up'} to ${searchedUntil}.`
        ) : (
          <>
            Searched contacts added {dir === 'asc' ? 'until' : 'since'}{' '}
            <Time at={searchedUntil} form="exact" />.
          </>
        )}
      </p>
      {isSearching ? (
        <Button look="quiet" onPress={stop}>
          Stop
        </Button>
      ) : (
        <Button onPress={resume}>Keep searching</Button>
      )}
    </div>
  );
}
