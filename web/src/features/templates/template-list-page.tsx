import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Pager } from '../../ui/list.tsx';
import { ListToolbar } from '../../ui/list-toolbar.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { contentTypes, typeLabel } from '../message-editor/content.ts';
import { templateListQuery, usesQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/templates');

const types = [{ value: 'all', label: 'All types' }, ...contentTypes] as const;

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
  const toNew = { to: '/projects/$projectId/templates/new', params: { projectId } } as const;
  return (
    <Page
      title="Templates"
      description={query.data && quantity(query.data.total, 'template')}
      actions={
        <ButtonLink look="primary" {...toNew}>
          New template
        </ButtonLink>
      }
      toolbar={
        <ListToolbar
          search={search}
          onSearch={(text) => change({ search: text }, true)}
          filter={{
            label: 'Type',
            options: types,
            value: type,
            onChange: (value) => change({ type: value }),
          }}
          sort={sort}
          onSort={(order) => change({ sort: order })}
        />
      }
    >
      <Loaded query={query}>
        {({ data, totalPages }) =>
          data.length === 0 ? (
            <NoTemplates isFiltered={search !== undefined || type !== undefined} />
          ) : (
            <>
              <TemplateTable templates={data} />
              <Pager page={page} totalPages={totalPages} onPage={(next) => change({ page: next })} />
            </>
          )
        }
      </Loaded>
    </Page>
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
      className: 'max-w-64',
      cell: ({ id, name, description }) => (
        <>
          <RowLink to={to} params={{ projectId, templateId: id }}>
            {name}
          </RowLink>
          {description && <p className="truncate text-sm text-muted">{description}</p>}
        </>
      ),
    },
    {
      header: 'Subject',
      className: 'max-w-72',
      isSecondary: true,
      cell: ({ subject }) => <p className="truncate text-muted">{subject}</p>,
    },
    { header: 'Type', cell: ({ type }) => <Badge>{typeLabel(type)}</Badge> },
    { header: 'Used by', isSecondary: true, cell: ({ id }) => <UsedBy workflows={workflowsOf.get(id)} /> },
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

function NoTemplates({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="Nothing matches">Change the search or the type.</EmptyState>;
  return (
    <EmptyState title="No templates yet">
      A template is an email that workflows, campaigns and your application send. Write the first one.
    </EmptyState>
  );
}
