import { $api } from '../../api/client.ts';

interface TemplateSearch {
  search?: string | undefined;
  type?: 'MARKETING' | 'TRANSACTIONAL' | 'HEADLESS' | undefined;
  sort?: 'name' | 'updatedAt' | undefined;
  page?: number | undefined;
}

export const templateListQuery = ({ search, type, sort, page = 1 }: TemplateSearch) =>
  $api.queryOptions('get', '/templates', {
    params: {
      query: { search, type, sort, dir: sort === 'name' ? 'asc' : 'desc', page, pageSize: 25, body: 'false' },
    },
  });

export const templateQuery = (id: string) =>
  $api.queryOptions('get', '/templates/{id}', { params: { path: { id } } });

/** One for each row of the list, behind what the next page asks for. */
export const usageQuery = (id: string) =>
  $api.queryOptions(
    'get',
    '/templates/{id}/usage',
    { params: { path: { id } }, priority: 'low' },
    { staleTime: 60_000 },
  );
