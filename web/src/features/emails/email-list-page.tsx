import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, IconButton, RowLink, TextLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Pages } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EmailDrawer } from './email-drawer.tsx';
import { EmailFilters } from './email-filters.tsx';
import { type EmailSearch, emailsInit, filterQuery, isFiltered } from './email-search.ts';
import { sourceText } from './email-source.ts';
import { EmailStatus } from './email-status.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/emails');

export function EmailListPage() {
  const projectId = useProjectId();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (fields: EmailSearch) =>
    void navigate({ search: (before) => ({ ...before, ...fields }), replace: true });
  const open = (email: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, email }), resetScroll: false });
  const query = $api.useInfiniteQuery('get', '/emails', emailsInit(search), byCursor);
  const searchedBackTo = query.data?.pages.at(-1)?.searchedBackTo;
  return (
    <Page
      title="Emails"
      description="Every email of the project, newest first."
      actions={
        <ExportButton
          label="Download CSV"
          read={() => api.GET('/emails/export', { params: { query: filterQuery(search) }, parseAs: 'blob' })}
          name="emails.csv"
        />
      }
      toolbar={<EmailFilters search={search} onChange={change} />}
    >
      {search.contactId && (
        <OfContact id={search.contactId} onRemove={() => change({ contactId: undefined })} />
      )}
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          isFiltered(search) ? <NothingFound query={query} searchedBackTo={searchedBackTo} /> : <NoEmails />
        }
      >
        {(rows) => (
          <>
            <Table
              label="Emails"
              rows={rows}
              columns={toColumns(projectId, search)}
              idOf={({ id }) => id}
              onOpen={({ id }) => open(id)}
            />
            {searchedBackTo && (
              <p className="text-center text-sm text-muted">
                <SearchedBackTo at={searchedBackTo} />
              </p>
            )}
          </>
        )}
      </Pages>
      <EmailDrawer id={search.email} onClose={() => open(undefined)} />
    </Page>
  );
}

function OfContact({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data } = $api.useQuery('get', '/contacts/{id}', { params: { path: { id } } });
  return (
    <p className="flex min-w-0 items-center gap-1">
      <span className="min-w-0 truncate">
        To <ContactLink contactId={id}>{data?.email ?? 'one contact'}</ContactLink>
      </span>
      <IconButton label="Show all emails" onPress={onRemove}>
        <X className="size-4" />
      </IconButton>
    </p>
  );
}

function SearchedBackTo({ at }: { at: string }) {
  return (
    <>
      Searched emails back to <Time at={at} form="exact" />.
    </>
  );
}

function toColumns(projectId: string, search: EmailSearch): Column<Schema<'Email'>>[] {
  return [
    {
      header: 'To',
      className: 'w-full max-w-0 md:w-1/3',
      cell: ({ id, to }) => (
        <RowLink
          to="/projects/$projectId/emails"
          params={{ projectId }}
          search={{ ...search, email: id }}
          resetScroll={false}
          className="block truncate"
        >
          {to || 'Deleted contact'}
        </RowLink>
      ),
    },
    {
      header: 'Subject',
      isSecondary: true,
      className: 'w-2/5 max-w-0',
      cell: ({ to, subject, reason }) => (
        <>
          <span className="block truncate">
            {subject ?? (to && <span className="text-faint">Not rendered</span>)}
          </span>
          {reason && <span className="block truncate text-xs text-muted">{reason}</span>}
        </>
      ),
    },
    { header: 'Status', cell: ({ status }) => <EmailStatus status={status} /> },
    {
      header: 'Source',
      isSecondary: true,
      className: 'w-1/4 max-w-0',
      cell: (email) => <span className="block truncate text-muted">{sourceText(email)}</span>,
    },
    {
      header: 'Accepted',
      align: 'right',
      isSecondary: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
}

interface NothingFoundProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  searchedBackTo: string | null | undefined;
}

function NothingFound({ query, searchedBackTo }: NothingFoundProps) {
  return (
    <EmptyState
      title={query.hasNextPage ? 'No matches so far' : 'No email matches'}
      action={
        query.hasNextPage && (
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            Search further back
          </Button>
        )
      }
    >
      {searchedBackTo ? <SearchedBackTo at={searchedBackTo} /> : 'Change the search or the filters.'}
    </EmptyState>
  );
}

function NoEmails() {
  const projectId = useProjectId();
  return (
    <EmptyState title="No emails yet">
      Send the first one with a campaign, a workflow or{' '}
      <TextLink to="/projects/$projectId/developers" params={{ projectId }}>
        the API
      </TextLink>
      .
    </EmptyState>
  );
}
