import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { segmentsQuery } from '../segments/queries.ts';
import type { Names } from './graph/step-words.ts';
import { templateNamesQuery } from './queries.ts';

/** Names of what steps refer to, for their descriptions. */
export function useNames(): Names {
  const templates = useQuery(templateNamesQuery).data;
  const segments = useQuery(segmentsQuery).data;
  return useMemo(() => {
    const templateNames = new Map(templates?.data.map(({ id, name }) => [id, name]));
    const segmentNames = new Map(segments?.data.map(({ id, name }) => [id, name]));
    return { template: (id) => templateNames.get(id), segment: (id) => segmentNames.get(id) };
  }, [templates, segments]);
}
