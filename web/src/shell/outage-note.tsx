import type { Query } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isTemporary } from '../api/api-error.ts';
import { queryClient, retryMs } from '../api/query-client.ts';

const isFailed = ({ state }: Query) => isTemporary(state.error);
const failed = () => queryClient.getQueryCache().findAll({ type: 'active', predicate: isFailed });
const subscribe = (listener: () => void) => queryClient.getQueryCache().subscribe(listener);
const useFailed = (wanted: (query: Query) => boolean) =>
  useSyncExternalStore(subscribe, () => failed().some(wanted));

/** Retries the queries that failed for a while, and says so above the older data that the page still shows. */
export function OutageNote() {
  const isOut = useFailed(() => true);
  const isStale = useFailed(({ state }) => state.data !== undefined);
  useEffect(() => {
    if (!isOut) return;
    const timer = setInterval(
      () => void queryClient.refetchQueries({ type: 'active', predicate: isFailed }),
      retryMs,
    );
    return () => clearInterval(timer);
  }, [isOut]);
  if (!isStale) return null;
  return (
    <p
      role="status"
      className="fixed bottom-4 left-4 z-30 max-w-[calc(100vw-2rem)] rounded-lg bg-raised px-4 py-2 text-warn shadow-overlay"
    >
      The server can’t answer right now, so some of this may be out of date. Retrying every few seconds.
    </p>
  );
}
