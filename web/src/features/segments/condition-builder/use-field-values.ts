import { $api } from '../../../api/client.ts';

/** Values that contacts have in a field of `data`; empty for other fields, and while loading. */
export function useFieldValues(field: string): readonly unknown[] {
  const { data } = $api.useQuery(
    'get',
    '/contacts/fields/{field}/values',
    { params: { path: { field } } },
    { enabled: field.startsWith('data.'), staleTime: 60_000 },
  );
  return data?.values ?? [];
}
