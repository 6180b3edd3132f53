import { refresh } from '../../api/query-client.ts';

/** Reloads what shows contacts after some have changed: lists, members of segments, audiences and their history. */
export const refreshContacts = (): Promise<void> =>
  refresh('/contacts', '/segments', '/campaigns/audience', '/suppressions', '/activity');
