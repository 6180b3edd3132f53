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

/** Each page reads it again: edits of workflows change it, and a template in use offers no deletion. */
const alwaysStale = { staleTime: 0 };

/** The uses of the templates in a list. */
export const usesQuery = (ids: readonly string[]) =>
  $api.queryOptions('get', '/templates/usage', { params: { query: { ids: [...ids] } } }, alwaysStale);

export const usageQuery = (id: string) =>
  $api.queryOptions('get', '/templates/{id}/usage', { params: { path: { id } } }, alwaysStale);
