import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { Loaded, type LoadedProps, Pager, PastLastPage } from './list.tsx';
import { ListToolbar, type ListToolbarProps } from './list-toolbar.tsx';
import { quantity } from './numbers.ts';
import { Page } from './page.tsx';

type Order = ListToolbarProps<string>['sort'];

/** The state of the list in the URL. */
interface Shown {
  search?: string | undefined;
  sort?: Order;
  page?: number | undefined;
}

interface RecordListPageProps<Row, Kind extends string> {
  title: string;
  /** What one row is called. */
  noun: string;
  action: ReactNode;
  query: LoadedProps<{ data: Row[]; total: number; totalPages: number }>['query'];
  shown: Shown;
  onChange: (shown: Shown, replace?: boolean) => void;
  filter: ListToolbarProps<Kind>['filter'];
  /** Shown instead of the rows when the project has none. */
  empty: ReactNode;
  children: (rows: Row[]) => ReactNode;
}

/** The page of a list that is read by page number, with search, filter and order: templates and campaigns. */
export function RecordListPage<Row, Kind extends string>(props: RecordListPageProps<Row, Kind>) {
  const { title, noun, action, query, shown, onChange, filter, empty, children } = props;
  const { search, sort, page = 1 } = shown;
  const isFiltered = search !== undefined || filter.value !== undefined;
  return (
    <Page
      title={title}
      description={query.data ? quantity(query.data.total, noun) : ' '}
      actions={action}
      toolbar={
        <ListToolbar
          search={search}
          onSearch={(text) => onChange({ search: text }, true)}
          filter={filter}
          sort={sort}
          onSort={(order) => onChange({ sort: order })}
        />
      }
    >
      <Loaded query={query}>
        {({ data, totalPages }) => {
          if (data.length > 0) {
            return (
              <>
                {children(data)}
                <Pager page={page} totalPages={totalPages} onPage={(next) => onChange({ page: next })} />
              </>
            );
          }
          if (page > 1) return <PastLastPage onFirst={() => onChange({ page: undefined })} />;
          if (!isFiltered) return empty;
          return (
            <EmptyState title="Nothing matches">
              Change the search or the {filter.label.toLowerCase()}.
            </EmptyState>
          );
        }}
      </Loaded>
    </Page>
  );
}
