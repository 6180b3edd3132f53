import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { segmentsQuery } from './queries.ts';

/** Returns a segment's name by its id, for conditions in words. */
export function useSegmentNames(): (id: string) => string | undefined {
  const { data } = useQuery(segmentsQuery);
  return useCallback((id: string) => data?.data.find((segment) => segment.id === id)?.name, [data]);
}
