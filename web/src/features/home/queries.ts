import { $api } from '../../api/client.ts';
import { analyticsQueries } from '../activity/queries.ts';

/** Items of upcoming activity that are read. */
export const mostListed = 100;

export const homeQueries = {
  /** The query of the analytics page, so that both share one request. */
  timeseries: () => analyticsQueries('30d').now,
  sending: $api.queryOptions('get', '/campaigns', {
    params: { query: { status: 'SENDING', pageSize: 5, body: 'false' } },
  }),
  upcoming: $api.queryOptions('get', '/activity/upcoming', { params: { query: { limit: mostListed } } }),
  health: (id: string) => $api.queryOptions('get', '/projects/{id}/security', { params: { path: { id } } }),
  consumption: (id: string) =>
    $api.queryOptions('get', '/users/@me/projects/{id}/billing-consumption', { params: { path: { id } } }),
  setUp: (id: string) => $api.queryOptions('get', '/projects/{id}/setup-state', { params: { path: { id } } }),
};
