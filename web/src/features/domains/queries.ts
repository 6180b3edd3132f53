import { $api } from '../../api/client.ts';

/** The verified domains, which the project can send from. */
export const domainsQuery = (projectId: string) =>
  $api.queryOptions('get', '/domains/project/{projectId}', { params: { path: { projectId } } });
