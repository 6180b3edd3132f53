import { useMemo } from 'react';
import { $api } from '../../../api/client.ts';
import type { Names } from './step-words.ts';

/** Names of what steps refer to, for their descriptions. */
export function useNames(): Names {
  const templates = $api.useQuery('get', '/templates', { params: { query: { pageSize: 100 } } }).data;
  const segments = $api.useQuery('get', '/segments').data;
  return useMemo(() => {
    const templateNames = new Map(templates?.data.map(({ id, name }) => [id, name]));
    const segmentNames = new Map(segments?.data.map(({ id, name }) => [id, name]));
    return { template: (id) => templateNames.get(id), segment: (id) => segmentNames.get(id) };
  }, [templates, segments]);
}
