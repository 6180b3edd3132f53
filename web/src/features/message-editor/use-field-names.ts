import { $api } from '../../api/client.ts';

const noFields: readonly string[] = [];
const toNames = ({ fields }: { fields: { field: string }[] }) => fields.map(({ field }) => field);

/** The fields of the project's contacts; empty while they load. */
export const useFieldNames = (isEnabled = true): readonly string[] =>
  $api.useQuery('get', '/contacts/fields', {}, { select: toNames, staleTime: 60_000, enabled: isEnabled })
    .data ?? noFields;
