import { $api } from '../../api/client.ts';
import { type ContactFilter, type ContactQuery, filterQuery } from './contact-filter.ts';

type ContactSearch = ContactFilter & { sort?: ContactQuery['sort']; dir?: ContactQuery['dir'] };

export const contactsPerPage = 50;

export const contactListInit = ({ sort, dir, ...filter }: ContactSearch) => ({
  params: { query: { ...filterQuery(filter), sort, dir, limit: contactsPerPage } },
});

export const timelineInit = (contactId: string) => ({ params: { query: { contactId, limit: 50 } } });

export const contactQuery = (id: string) =>
  $api.queryOptions('get', '/contacts/{id}', { params: { path: { id } } });

export const fieldsQuery = $api.queryOptions('get', '/contacts/fields', {}, { staleTime: 60_000 });
