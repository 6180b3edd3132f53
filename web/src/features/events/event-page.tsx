import { useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Pages } from '../../ui/list.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page, Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { EventData } from './event-data.tsx';
import { EventUsage } from './event-usage.tsx';

type Event = Schema<'Event'>;

export function EventPage({ name }: { name: string }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const [isDeleting, setIsDeleting] = useState(false);
  const list = { to: '/projects/$projectId/events', params: { projectId }, search: {} } as const;
  const path = { eventName: name };
  const usage = $api.useQuery('get', '/events/{eventName}/usage', { params: { path } });
  const query = $api.useInfiniteQuery('get', '/events', { params: { query: { name, limit: 50 } } }, byCursor);
  const remove = async () => {
    const { data } = await api.DELETE('/events/{eventName}', { params: { path } });
    await leave(list);
    await refresh('/events', '/activity', '/analytics');
    say(`${quantity(data?.deleted ?? 0, 'event')} deleted. Counts follow within seconds.`);
  };
  return (
    <Page
      title={name}
      back={{ label: 'Events', ...list }}
      actions={
        <Button look="danger" onPress={() => setIsDeleting(true)}>
          Delete its events
        </Button>
      }
    >
      <Section title="Used by">
        <Loaded query={usage}>{(places) => <EventUsage usage={places} />}</Loaded>
      </Section>
      <Section title="Recent events">
        <Pages
          query={query}
          rowsOf={({ data }) => data}
          empty={<EmptyState title="No stored event has this name" />}
        >
          {(rows) => <Table label="Recent events" rows={rows} columns={columns} idOf={({ id }) => id} />}
        </Pages>
      </Section>
      <ConfirmDialog
        title={`Delete all events “${name}”`}
        action="Delete for good"
        confirmText={name}
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={remove}
      >
        <div className="flex flex-col gap-3">
          <p>
            Every event with this name is deleted, for all contacts, and disappears from segments, counts and
            the feed. This can’t be undone.
          </p>
          <Loaded query={usage}>{(places) => <EventUsage usage={places} isWarning />}</Loaded>
        </div>
      </ConfirmDialog>
    </Page>
  );
}

const columns: Column<Event>[] = [
  { header: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { header: 'Data', className: 'w-full max-w-0', cell: ({ data }) => <EventData data={data} /> },
  {
    header: 'About',
    align: 'right',
    className: 'whitespace-nowrap',
    cell: (event) => <EventSubjects event={event} />,
  },
];

function EventSubjects({ event: { contactId, contactEmail, emailId } }: { event: Event }) {
  const projectId = useProjectId();
  return (
    <span className="inline-flex gap-3">
      {emailId && (
        <TextLink to="/projects/$projectId/emails" params={{ projectId }} search={{ email: emailId }}>
          Email
        </TextLink>
      )}
      {contactId && contactEmail === null && <span className="text-faint">Deleted contact</span>}
      {contactId && contactEmail !== null && <ContactLink contactId={contactId}>{contactEmail}</ContactLink>}
    </span>
  );
}
