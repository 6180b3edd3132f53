import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { segmentsQuery } from './queries.ts';

/** The name of a segment by its id, for a condition in words. */
export function useSegmentNames(): (id: string) => string | undefined {
  const { data } = useQuery(segmentsQuery);
  return useCallback((id: string) => data?.data.find((segment) => segment.id === id)?.name, [data]);
}
