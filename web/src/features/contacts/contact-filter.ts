import type { operations } from '../../api/schema.d.ts';

export type ContactQuery = NonNullable<operations['getContacts']['parameters']['query']>;

/** The filter of the list, stored in the URL. */
export interface ContactFilter {
  search?: string | undefined;
  status?: ContactQuery['status'] | undefined;
  /** Values by key of `data`. */
  data?: Record<string, string> | undefined;
}

/** Query parameters for the list, the export and bulk operations. */
export function filterQuery({ search, status, data = {} }: ContactFilter): ContactQuery {
  const byKey = Object.fromEntries(
    // The client does not encode parameter names.
    Object.entries(data).map(([key, value]) => [`filter[data.${encodeURIComponent(key)}]`, value]),
  );
  return Object.assign({ ...(search && { search }), ...(status && { status }) }, byKey);
}

export const isFiltered = ({ search, status, data }: ContactFilter): boolean =>
  search !== undefined || status !== undefined || Object.keys(data ?? {}).length > 0;
