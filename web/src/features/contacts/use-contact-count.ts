import { useEffect, useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api } from '../../api/client.ts';
import type { ContactQuery } from './contact-filter.ts';

export interface ContactCount {
  /** Undefined until it is known. */
  total: number | undefined;
  /** Counted so far while counting, otherwise null. */
  soFar: number | null;
  start: () => void;
}

/** The exact number of matching contacts: known from the list, or counted in steps once started. */
export function useContactCount(filter: ContactQuery, known: number | undefined): ContactCount {
  const key = JSON.stringify(filter);
  const [startedFor, setStartedFor] = useState<string>();
  const enabled = known === undefined && startedFor === key;
  const query = $api.useInfiniteQuery(
    'get',
    '/contacts/count',
    { params: { query: filter } },
    { ...byCursor, enabled },
  );
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isNext = enabled && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  const counted = data?.pages.reduce((sum, { count }) => sum + count, 0);
  const isWhole = enabled && data !== undefined && !hasNextPage;
  return {
    total: known ?? (isWhole ? counted : undefined),
    soFar: enabled && !isWhole && !isError ? (counted ?? 0) : null,
    start: () => {
      if (isError) void (data === undefined ? query.refetch() : fetchNextPage());
      setStartedFor(key);
    },
  };
}
