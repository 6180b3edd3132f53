import { useQueries } from '@tanstack/react-query';
import { useCallback } from 'react';
import { $api, type Schema } from '../../../api/client.ts';

/** Returns the name of a segment or campaign by its id, for these conditions in words. */
export function useConditionNames(conditions: readonly unknown[]): (id: string) => string | undefined {
  const { data: segments } = $api.useQuery('get', '/segments');
  const used = campaignsIn(conditions);
  const query = { pageSize: 100, body: 'false' as const };
  const options = { enabled: used.length > 0 };
  const { data: newest } = $api.useQuery('get', '/campaigns', { params: { query } }, options);
  // None until the newest are loaded.
  const others = newest === undefined ? [] : used.filter((id) => newest.data.every((one) => one.id !== id));
  const older = useQueries({
    queries: others.map((id) => ({
      ...$api.queryOptions('get', '/campaigns/{id}', { params: { path: { id } } }),
      staleTime: 60_000,
    })),
    combine: campaignsOf,
  });
  return useCallback(
    (id: string) =>
      [...(segments?.data ?? []), ...(newest?.data ?? []), ...older].find((one) => one.id === id)?.name,
    [segments, newest, older],
  );
}

function campaignsIn(conditions: readonly unknown[]): string[] {
  const named = JSON.stringify(conditions).matchAll(/"campaign\.([\da-f-]{36})"/gi);
  return [...new Set([...named].flatMap(([, id]) => id ?? []))];
}

const campaignsOf = (answers: { data: { data: Schema<'Campaign'> } | undefined }[]) =>
  answers.flatMap(({ data }) => data?.data ?? []);
