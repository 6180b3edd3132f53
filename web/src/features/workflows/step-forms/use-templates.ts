import { $api, type Schema } from '../../../api/client.ts';

/** Templates to choose from, newest first, and the one already chosen if it is not among them. */
export function useTemplates(search: string, chosenId: string | null): Schema<'ListedTemplate'>[] {
  const { data } = $api.useQuery('get', '/templates', {
    params: { query: { pageSize: 100, body: 'false', ...(search !== '' && { search }) } },
  });
  const listed = data?.data ?? [];
  const isMissing = data !== undefined && chosenId !== null && !listed.some(({ id }) => id === chosenId);
  const chosen = $api.useQuery(
    'get',
    '/templates/{id}',
    { params: { path: { id: chosenId ?? '' } } },
    { enabled: isMissing },
  );
  return isMissing && chosen.data ? [chosen.data, ...listed] : listed;
}
