import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, RowLink, TextLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { isOfService, type NamedCount, rankNames } from './event-names.ts';
import { namesQuery, statsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/events');

/** Rows shown at first, and added by "Show more". */
const step = 100;

export function EventListPage() {
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const names = useQuery(namesQuery);
  const stats = useQuery(statsQuery);
  return (
    <Page
      title="Events"
      description="What your contacts did. Events start workflows and define segments."
      toolbar={
        <SearchField
          label="Search names"
          value={search}
          onChange={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
        />
      }
    >
      <Loaded query={names}>
        {({ names: all }) => (
          <Loaded query={stats}>
            {(counted) =>
              all.length === 0 ? (
                <NoEvents />
              ) : (
                <Events key={search} events={rankNames(all, counted, search)} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function NoEvents() {
  const projectId = useProjectId();
  return (
    <EmptyState title="No events yet">
      <TextLink to="/projects/$projectId/developers" params={{ projectId }}>
        Track the first one
      </TextLink>{' '}
      from your application; sends and opens appear here, too.
    </EmptyState>
  );
}

function Events({ events }: { events: readonly NamedCount[] }) {
  const [shown, setShown] = useState(step);
  if (events.length === 0) return <EmptyState title="No event has this name" />;
  return (
    <>
      <EventTable events={events.slice(0, shown)} />
      {events.length > shown && (
        <Button className="self-center" onPress={() => setShown(shown + step)}>
          Show more
        </Button>
      )}
    </>
  );
}

function EventTable({ events }: { events: readonly NamedCount[] }) {
  const projectId = useProjectId();
  const navigate = route.useNavigate();
  const columns: Column<NamedCount>[] = [
    {
      header: 'Event',
      className: 'w-full max-w-0',
      cell: ({ name }) => (
        <RowLink
          to="/projects/$projectId/events"
          params={{ projectId }}
          search={{ name }}
          className="block truncate"
        >
          {name}
        </RowLink>
      ),
    },
    {
      header: 'From',
      isSecondary: true,
      cell: ({ name }) =>
        isOfService(name) ? <Badge>Posthaste</Badge> : <Badge tone="accent">Your application</Badge>,
    },
    {
      header: 'Last 30 days',
      align: 'right',
      className: 'whitespace-nowrap',
      cell: (event) => (event.count === null ? 'Rarely' : count(event.count)),
    },
  ];
  return (
    <Table
      label="Events"
      rows={events}
      columns={columns}
      idOf={({ name }) => name}
      onOpen={({ name }) => void navigate({ search: { name } })}
    />
  );
}
