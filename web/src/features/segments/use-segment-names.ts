import { useCallback } from 'react';
import { $api } from '../../api/client.ts';

/** The name of a segment by its id, for a condition in words. */
export function useSegmentNames(): (id: string) => string | undefined {
  const { data } = $api.useQuery('get', '/segments');
  return useCallback((id: string) => data?.data.find((segment) => segment.id === id)?.name, [data]);
}
