import { $api } from '../../api/client.ts';

export const segmentsQuery = $api.queryOptions('get', '/segments');

export const segmentQuery = (id: string) =>
  $api.queryOptions('get', '/segments/{id}', { params: { path: { id } } });

export const membersInit = (id: string) => ({ params: { path: { id }, query: { pageSize: 50 } } });
