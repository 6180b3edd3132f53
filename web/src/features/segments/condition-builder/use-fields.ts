import { useMemo } from 'react';
import { $api } from '../../../api/client.ts';
import type { ItemsQuery } from '../../../ui/search-select.tsx';
import type { Condition } from './condition.ts';
import { emailActivities, fieldLabel } from './field-label.ts';
import type { FieldSource, FieldType } from './operators.ts';
import { useConditionNames } from './use-condition-names.ts';

/** Names that nothing has yet come last: the first match is chosen with Enter. */
export const sections = [
  'Contact',
  'Data',
  'Emails',
  'Events',
  'Event data',
  'Segments',
  'Campaigns',
  'Not seen yet',
] as const;

export interface FieldOption {
  field: string;
  label: string;
  section: (typeof sections)[number];
  /** Type of a stored field; fields about history and segments have none. */
  type?: FieldType;
}

export interface KnownFields {
  options: FieldOption[];
  typeOf: (field: string) => FieldType | undefined;
  nameOf: ReturnType<typeof useConditionNames>;
  /** The query of a list of fields that is still loading, or that failed. */
  missing: ItemsQuery | undefined;
}

interface ListedField {
  field: string;
  type: FieldType | 'event';
}

/** All fields that a condition of the project can use, except campaigns, of which there may be many. */
export function useFields(source: FieldSource, condition: Condition): KnownFields {
  const isWorkflow = source === 'workflow';
  const contactQuery = $api.useQuery('get', '/contacts/fields', {}, { enabled: !isWorkflow });
  const nameQuery = $api.useQuery('get', '/events/names', {}, { enabled: !isWorkflow });
  const workflowQuery = $api.useQuery('get', '/workflows/fields', {}, { enabled: isWorkflow });
  const segmentQuery = $api.useQuery('get', '/segments');
  const queries = isWorkflow ? [workflowQuery, segmentQuery] : [contactQuery, nameQuery, segmentQuery];
  const [missing, ...others] = queries.filter(({ data }) => data === undefined);
  const refetch = () => [missing, ...others].map((query) => query?.refetch());
  const { data: ofContacts } = contactQuery;
  const { data: names } = nameQuery;
  const { data: ofWorkflows } = workflowQuery;
  const { data: segments } = segmentQuery;
  const nameOf = useConditionNames([condition]);
  const known = useMemo((): Omit<KnownFields, 'missing' | 'nameOf'> => {
    const nameById = new Map(segments?.data.map(({ id, name }) => [id, name]));
    const events = (names?.names ?? []).map((name) => ({ field: `event.${name}`, type: 'event' as const }));
    const listed: ListedField[] = ofWorkflows?.fields ?? [...(ofContacts?.fields ?? []), ...events];
    const segmentName = (id: string) => nameById.get(id);
    const option = (field: string, section: FieldOption['section'], type?: FieldType): FieldOption => ({
      field,
      section,
      label: fieldLabel(field, segmentName),
      ...(type && { type }),
    });
    const options = [
      ...listed
        // Conditions use `email.<activity>` for those.
        .filter(({ field }) => !field.startsWith('event.email.'))
        .map(({ field, type }) => option(field, sectionOf(field, type), type === 'event' ? undefined : type)),
      option('randomGroup', 'Contact', 'number'),
      ...emailActivities.map((activity) => option(`email.${activity}`, 'Emails')),
      ...[...nameById.keys()].map((id) => option(`segment.${id}`, 'Segments')),
    ];
    const typeByField = new Map(options.map(({ field, type }) => [field, type]));
    return { options, typeOf: (field) => typeByField.get(field) };
  }, [ofContacts, names, ofWorkflows, segments]);
  return { ...known, nameOf, missing: missing && { data: missing.data, error: missing.error, refetch } };
}

function sectionOf(field: string, type: ListedField['type']): FieldOption['section'] {
  if (field.startsWith('data.')) return 'Data';
  if (!field.startsWith('event.')) return 'Contact';
  return type === 'event' ? 'Events' : 'Event data';
}
