import { $api } from '../../api/client.ts';

export const workflowListQuery = (search: { search?: string | undefined; page?: number | undefined }) =>
  $api.queryOptions('get', '/workflows', { params: { query: search } });

export const workflowQuery = (id: string) =>
  $api.queryOptions('get', '/workflows/{id}', { params: { path: { id } } });

/** The execution counts of the workflows in a list. */
export const executionCountsQuery = (ids: readonly string[]) =>
  $api.queryOptions('get', '/workflows/executions', { params: { query: { ids: [...ids] } } });

export const statisticsQuery = (id: string) =>
  $api.queryOptions('get', '/workflows/{id}/statistics', { params: { path: { id } } });

export const executionQuery = (workflowId: string, executionId: string) =>
  $api.queryOptions('get', '/workflows/{id}/executions/{executionId}', {
    params: { path: { id: workflowId, executionId } },
  });

export const templateNamesQuery = $api.queryOptions('get', '/templates', {
  params: { query: { pageSize: 100, body: 'false' } },
});
