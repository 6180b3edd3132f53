import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type RefCallback, useState } from 'react';
import { $api } from '../../../api/client.ts';
import { useProjectId } from '../../../shell/use-project-id.ts';
import { TextLink } from '../../../ui/button.tsx';
import { SearchSelect } from '../../../ui/search-select.tsx';
import { OptionItem } from '../../../ui/select.tsx';
import { useDebounced } from '../../../ui/use-debounced.ts';
import { templateQuery } from '../../templates/queries.ts';

interface TemplateSelectProps {
  value: string;
  onChange: (id: string) => void;
  error: string | undefined;
  buttonRef: RefCallback<HTMLButtonElement>;
}

/** Offers the newest templates, and finds all others by part of their name or subject. */
export function TemplateSelect({ value, onChange, error, buttonRef }: TemplateSelectProps) {
  const projectId = useProjectId();
  const [search, setSearch] = useState('');
  const sought = useDebounced(search.trim());
  const query = { pageSize: 20, body: 'false' as const, ...(sought !== '' && { search: sought }) };
  const found = $api.useQuery(
    'get',
    '/templates',
    { params: { query } },
    { placeholderData: keepPreviousData },
  );
  const chosen = useQuery({ ...templateQuery(value), enabled: value !== '' });
  const templates = found.data?.data ?? [];
  return (
    <SearchSelect
      label="Template"
      searchLabel="Find a template"
      search={search}
      onSearch={setSearch}
      value={value === '' ? null : value}
      shown={chosen.data?.name}
      onChange={onChange}
      error={error}
      buttonRef={buttonRef}
      placeholder="Choose a template"
      hint={
        chosen.data ? (
          <>
            “{chosen.data.subject}”.{' '}
            <TextLink
              to="/projects/$projectId/templates/$templateId"
              params={{ projectId, templateId: value }}
            >
              Open the template
            </TextLink>
          </>
        ) : (
          <TextLink to="/projects/$projectId/templates" params={{ projectId }}>
            Templates
          </TextLink>
        )
      }
      query={found}
      empty={sought === '' ? 'No template yet.' : 'Nothing matches.'}
    >
      {templates.map(({ id, name, subject }) => (
        <OptionItem key={id} option={{ value: id, label: name, note: subject }} />
      ))}
    </SearchSelect>
  );
}
