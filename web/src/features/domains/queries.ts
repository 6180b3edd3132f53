import { $api } from '../../api/client.ts';

/** Those that an email may come from. */
export const domainsQuery = (projectId: string) =>
  $api.queryOptions('get', '/domains/project/{projectId}', { params: { path: { projectId } } });
