import { getRouteApi } from '@tanstack/react-router';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, type Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { TextLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { RequestFilters } from './request-filters.tsx';
import { isFiltered, type RequestSearch, toRequestsQuery } from './request-search.ts';

const route = getRouteApi('/signed-in/projects/$projectId/developers');

type LoggedRequest = Schema<'LoggedRequest'>;

/** The latest requests of the project, newest first. */
export function Requests() {
  const { tab: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (fields: RequestSearch) =>
    void navigate({ search: (before) => ({ ...before, ...fields }), replace: true });
  const query = $api.useInfiniteQuery(
    'get',
    '/requests',
    { params: { query: toRequestsQuery(search) } },
    byCursor,
  );
  const seen = query.data?.pages.flatMap(({ data }) => data.map((request) => request.route)) ?? [];
  return (
    <div className="flex flex-col gap-5">
      <RequestFilters
        search={search}
        onChange={change}
        routes={[...new Set(seen)].toSorted()}
        onRefresh={() => void query.refetch()}
      />
      <p className="text-sm text-muted">
        Requests of the last 7 days. At most 20 successful and 20 failed ones per second are kept.
      </p>
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={isFiltered(search) ? <NothingMatches {...search} /> : <NothingYet />}
      >
        {(rows) => <Table label="Requests" rows={rows} columns={columns} idOf={({ id }) => id} />}
      </Pages>
    </div>
  );
}

const credentials: Record<LoggedRequest['credential'], string> = {
  publicKey: 'Public key',
  secretKey: 'Secret key',
  session: 'Dashboard',
};

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

const columns: Column<LoggedRequest>[] = [
  {
    header: 'Request',
    className: 'w-full max-w-0',
    cell: ({ method, route: pattern, errorCode, createdAt }) => (
      <>
        <span className="block truncate font-mono text-xs" title={`${method} ${pattern}`}>
          <span className="text-muted">{method}</span> {pattern}
        </span>
        <span className="block text-xs text-muted md:hidden">
          {errorCode && `${errorCode} · `}
          <Time at={createdAt} />
        </span>
      </>
    ),
  },
  {
    header: 'Status',
    cell: ({ status, errorCode }) => (
      <span className="flex items-center gap-2">
        <Badge tone={toneOf(status)}>{status}</Badge>
        {errorCode && <span className="text-xs text-muted max-md:hidden">{errorCode}</span>}
      </span>
    ),
  },
  {
    header: 'Duration',
    align: 'right',
    isSecondary: true,
    cell: ({ durationMs }) => (
      <span data-numeric className="whitespace-nowrap">
        {durationMs < 10 ? durationMs.toFixed(1) : count(Math.round(durationMs))} ms
      </span>
    ),
  },
  {
    header: 'Caller',
    isSecondary: true,
    cell: ({ credential }) => <span className="whitespace-nowrap">{credentials[credential]}</span>,
  },
  { header: 'Time', isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    header: 'Request id',
    cell: ({ requestId }) => (
      <span className="flex items-center gap-1">
        <code className="max-w-28 truncate font-mono text-xs max-md:hidden" title={requestId}>
          {requestId}
        </code>
        <CopyButton text={requestId} label="Copy the request id" />
      </span>
    ),
  },
];

function NothingMatches({ requestId, by }: RequestSearch) {
  const params = { projectId: useProjectId() };
  return (
    <EmptyState title="No request matches">
      {requestId && by !== 'all' ? (
        <>
          It may be a request of the dashboard.{' '}
          <TextLink
            to="/projects/$projectId/developers"
            params={params}
            search={{ tab: 'requests', requestId, by: 'all' }}
          >
            Search all callers
          </TextLink>
          .
        </>
      ) : (
        'Change the filters. A request appears a few seconds after its response. Requests with a wrong key are not kept.'
      )}
    </EmptyState>
  );
}

function NothingYet() {
  const params = { projectId: useProjectId() };
  return (
    <EmptyState title="No requests in the last 7 days">
      Make one with the{' '}
      <TextLink to="/projects/$projectId/developers" params={params} search={{ tab: 'samples' }}>
        code samples
      </TextLink>
      ; it appears here within seconds.
    </EmptyState>
  );
}
