import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { quantity } from '../../ui/numbers.ts';
import { RecordListPage } from '../../ui/record-list-page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { contentTypes, typeLabel } from '../message-editor/content.ts';
import { templateListQuery, usesQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/templates');

export function TemplateListPage() {
  const { search, type, sort, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (fields: ReturnType<typeof route.useSearch>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...fields }), replace });
  const projectId = useProjectId();
  const query = useQuery({
    ...templateListQuery({ search, type, sort, page }),
    placeholderData: keepPreviousData,
  });
  return (
    <RecordListPage
      title="Templates"
      noun="template"
      action={
        <ButtonLink look="primary" to="/projects/$projectId/templates/new" params={{ projectId }}>
          New template
        </ButtonLink>
      }
      query={query}
      shown={{ search, sort, page }}
      onChange={change}
      filter={{
        label: 'Type',
        every: 'All types',
        options: contentTypes,
        value: type,
        onChange: (value) => change({ type: value }),
      }}
      empty={
        <EmptyState title="No templates yet">
          A template is an email that workflows, campaigns and your application send. Write the first one.
        </EmptyState>
      }
    >
      {(templates) => <TemplateTable templates={templates} />}
    </RecordListPage>
  );
}

function TemplateTable({ templates }: { templates: Schema<'ListedTemplate'>[] }) {
  const navigate = route.useNavigate();
  const projectId = useProjectId();
  const to = '/projects/$projectId/templates/$templateId';
  const uses = useQuery(usesQuery(templates.map(({ id }) => id)));
  const workflowsOf = new Map(uses.data?.data.map(({ templateId, workflows }) => [templateId, workflows]));
  const columns: Column<Schema<'ListedTemplate'>>[] = [
    {
      header: 'Name',
      className: 'w-full max-w-0 md:w-1/2',
      cell: ({ id, name, description }) => (
        <>
          <RowLink to={to} params={{ projectId, templateId: id }} className="line-clamp-2 break-words">
            {name}
          </RowLink>
          {description && <p className="truncate text-sm text-muted">{description}</p>}
        </>
      ),
    },
    {
      header: 'Subject',
      className: 'w-1/2 max-w-0',
      isSecondary: true,
      cell: ({ subject }) => <p className="truncate text-muted">{subject}</p>,
    },
    { header: 'Type', cell: ({ type }) => <Badge>{typeLabel(type)}</Badge> },
    {
      header: 'Used by',
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: ({ id }) => <UsedBy workflows={workflowsOf.get(id)} />,
    },
    {
      header: 'Changed',
      align: 'right',
      isSecondary: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
  return (
    <Table
      label="Templates"
      rows={templates}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to, params: { projectId, templateId: id } })}
    />
  );
}

function UsedBy({ workflows }: { workflows: number | undefined }) {
  if (workflows === undefined) return null;
  return <span className="text-muted">{workflows === 0 ? '–' : quantity(workflows, 'workflow')}</span>;
}
