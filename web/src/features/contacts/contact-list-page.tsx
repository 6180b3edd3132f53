import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { ContactCell } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Pages } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ColumnChoice, useDataColumns } from './column-choice.tsx';
import { type ContactFilter, filterQuery, isFiltered } from './contact-filter.ts';
import { ContactSelection } from './contact-selection.tsx';
import { DataFilters } from './data-filters.tsx';
import { DataValue } from './data-value.tsx';
import { FoundByName } from './found-by-name.tsx';
import { keyLabel } from './key-label.ts';
import { NewContactDialog } from './new-contact-dialog.tsx';
import { contactListInit, contactsPerPage } from './queries.ts';
import { SearchProgress, useContactSearch } from './search-progress.tsx';
import { SubscriptionBadge } from './subscription-badge.tsx';
import { type ContactCount, useContactCount } from './use-contact-count.ts';

const route = getRouteApi('/signed-in/projects/$projectId/contacts');

const statuses = [
  { value: 'subscribed', label: 'Subscribed' },
  { value: 'unsubscribed', label: 'Unsubscribed' },
  { value: 'snoozed', label: 'Snoozed' },
] as const;

export function ContactListPage() {
  const search = route.useSearch();
  const projectId = useProjectId();
  const [isAdding, setIsAdding] = useState(false);
  const [keys, setKeys] = useDataColumns();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const filter = filterQuery(search);
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter ends the selection
  useEffect(() => setIds(new Set()), [key]);
  const query = $api.useInfiniteQuery('get', '/contacts', contactListInit(search), byCursor);
  const pages = query.data?.pages ?? [];
  const shown = pages.reduce((sum, page) => sum + page.data.length, 0);
  const found = useContactSearch(query, key, contactsPerPage);
  const counted = useContactCount(filter, knownTotal(pages, shown, query.hasNextPage));
  const { total } = counted;
  return (
    <Page
      title="Contacts"
      description={query.data ? <Total counted={counted} shown={shown} /> : ' '}
      actions={
        <>
          <ExportButton
            read={() => api.GET('/contacts/export', { params: { query: filter }, parseAs: 'blob' })}
            name="contacts.csv"
            total={total}
          />
          <ButtonLink to="/projects/$projectId/contacts/import" params={{ projectId }} search={{}}>
            Import
          </ButtonLink>
          <Button look="primary" onPress={() => setIsAdding(true)}>
            Add contact
          </Button>
        </>
      }
      toolbar={<Filters columns={<ColumnChoice chosen={keys} onChange={setKeys} />} />}
    >
      {/* Outside the list, because a bulk operation may leave the list empty. */}
      <ContactSelection
        key={key}
        selected={pages.flatMap(({ data }) => data).filter(({ id }) => ids.has(id))}
        onClear={() => setIds(new Set())}
        filter={filter}
        counted={counted}
        shown={shown}
      />
      {search.search !== undefined && mayBeName(search.search) && <FoundByName text={search.search} />}
      <Pages
        query={query}
        rowsOf={(page) => page.data}
        empty={
          query.hasNextPage ? (
            <EmptyState title="No matches so far">
              <SearchProgress search={found} sort={search.sort} dir={search.dir} />
            </EmptyState>
          ) : isFiltered(search) ? (
            <EmptyState
              title={search.search === undefined ? 'No matching contacts' : 'No address contains this'}
            >
              Change the search or the filter.
            </EmptyState>
          ) : (
            <EmptyState title="No contacts yet">
              Import a CSV file, or send the first event from your application.
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <>
            <ContactTable rows={rows} keys={keys} ids={ids} onSelect={setIds} />
            <SearchProgress search={found} sort={search.sort} dir={search.dir} />
          </>
        )}
      </Pages>
      <NewContactDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}

function knownTotal(
  pages: readonly { total: number; totalAccuracy: string }[],
  shown: number,
  hasMore: boolean,
): number | undefined {
  const [first] = pages;
  if (first === undefined) return undefined;
  if (first.totalAccuracy === 'exact') return first.total;
  return hasMore ? undefined : shown;
}

function Total({ counted: { total, soFar, start }, shown }: { counted: ContactCount; shown: number }) {
  if (total !== undefined) return quantity(total, 'contact');
  if (soFar !== null) return `${count(soFar)} counted so far…`;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {quantity(shown, 'contact')} found so far
      <Button look="quiet" className="-my-1" onPress={start}>
        Count all
      </Button>
    </span>
  );
}

/** A single letter would read all contacts to find most of them. */
const mayBeName = (text: string) => text.length > 1 && !text.includes('@');

function Filters({ columns }: { columns: ReactNode }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const narrow = (change: ContactFilter) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <ListSearch
        label="Search addresses and names"
        value={search.search}
        onChange={(text) => narrow({ search: text })}
      />
      <ChoiceFilter
        label="Subscription"
        every="All subscriptions"
        options={statuses}
        value={search.status}
        onChange={(status) => narrow({ status })}
        className="w-48"
      />
      <DataFilters
        filters={search.data ?? {}}
        onChange={(data) => narrow({ data: Object.keys(data).length > 0 ? data : undefined })}
      />
      {columns}
    </>
  );
}

interface ContactTableProps {
  rows: Schema<'Contact'>[];
  /** Keys of `data` to show. */
  keys: string[];
  ids: ReadonlySet<string>;
  onSelect: (ids: Set<string>) => void;
}

function ContactTable({ rows, keys, ids, onSelect }: ContactTableProps) {
  const projectId = useProjectId();
  const navigate = route.useNavigate();
  const columns: Column<Schema<'Contact'>>[] = [
    {
      header: 'Address',
      isBreakable: true,
      cell: ({ id, email }) => <ContactCell contactId={id} email={email} />,
    },
    { header: 'Subscription', cell: (contact) => <SubscriptionBadge contact={contact} /> },
    ...keys.map((key) => ({
      header: keyLabel(key),
      id: `data.${key}`,
      isSecondary: true,
      cell: ({ data }: Schema<'Contact'>) => <DataValue value={data[key]} />,
    })),
    { header: 'Added', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'right', isSecondary: true },
  ];
  const emailOf = new Map(rows.map(({ id, email }) => [id, email]));
  return (
    <Table
      label="Contacts"
      rows={rows}
      columns={columns}
      idOf={({ id }) => id}
      selection={{ ids, onChange: onSelect, labelOf: (id) => `Select ${emailOf.get(id) ?? 'the contact'}` }}
      onOpen={({ id }) =>
        void navigate({
          to: '/projects/$projectId/contacts/$contactId',
          params: { projectId, contactId: id },
        })
      }
    />
  );
}
