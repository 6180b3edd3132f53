import { $api } from '../../api/client.ts';

export const namesQuery = $api.queryOptions('get', '/events/names');
export const statsQuery = $api.queryOptions('get', '/events/stats');
