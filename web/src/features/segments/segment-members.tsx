import { useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ContactCell } from '../../shell/contact-link.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Pages } from '../../ui/list.tsx';
import { estimated } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { SubscriptionBadge } from '../contacts/subscription-badge.tsx';
import { ChangeMembersDialog } from './change-members-dialog.tsx';
import { membersInit } from './queries.ts';

interface SegmentMembersProps {
  segment: Schema<'Segment'>;
}

export function SegmentMembers({ segment }: SegmentMembersProps) {
  const [verb, setVerb] = useState<'Add' | 'Remove' | null>(null);
  const isStatic = segment.type === 'STATIC';
  const query = $api.useInfiniteQuery('get', '/segments/{id}/contacts', membersInit(segment.id), byCursor);
  const first = query.data?.pages[0];
  return (
    <Section
      title={first ? estimated(first.total, first.totalAccuracy, 'member') : 'Members'}
      actions={
        <>
          <ExportButton
            read={() =>
              api.GET('/segments/{id}/export', { params: { path: { id: segment.id } }, parseAs: 'blob' })
            }
            name={`${segment.slug}.csv`}
            total={first?.totalAccuracy === 'exact' ? first.total : undefined}
          />
          {isStatic && (
            <>
              <Button onPress={() => setVerb('Remove')}>Remove addresses</Button>
              <Button look="primary" onPress={() => setVerb('Add')}>
                Add addresses
              </Button>
            </>
          )}
        </>
      }
    >
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          <EmptyState title="No members yet">
            {isStatic ? 'Add the first addresses.' : 'Nobody meets the condition right now.'}
          </EmptyState>
        }
      >
        {(contacts) => <MemberTable segment={segment} contacts={contacts} />}
      </Pages>
      {isStatic && (
        <ChangeMembersDialog
          segment={segment}
          verb={verb ?? 'Add'}
          isOpen={verb !== null}
          onClose={() => setVerb(null)}
        />
      )}
    </Section>
  );
}

function MemberTable({ segment, contacts }: { segment: Schema<'Segment'>; contacts: Schema<'Contact'>[] }) {
  const isStatic = segment.type === 'STATIC';
  const columns: Column<Schema<'Contact'>>[] = [
    {
      header: 'Address',
      isBreakable: true,
      cell: ({ id, email }) => <ContactCell contactId={id} email={email} />,
    },
    { header: 'Subscription', cell: (contact) => <SubscriptionBadge contact={contact} /> },
    { header: 'Added', align: 'right', cell: ({ createdAt }) => <Time at={createdAt} />, isSecondary: true },
  ];
  if (isStatic) {
    columns.push({
      header: 'Remove',
      isHeaderHidden: true,
      align: 'right',
      cell: ({ email }) => (
        <Button
          look="quiet"
          aria-label={`Remove ${email}`}
          onPress={() => void removeMember(segment.id, email).catch(sayError)}
        >
          Remove
        </Button>
      ),
    });
  }
  return <Table label="Members" rows={contacts} columns={columns} idOf={({ id }) => id} />;
}

async function removeMember(segmentId: string, email: string): Promise<void> {
  const call = { params: { path: { id: segmentId } }, body: { emails: [email] } };
  await api.DELETE('/segments/{id}/members', call);
  await refresh('/segments');
  say(`${email} left the segment`, () => {
    void api
      .POST('/segments/{id}/members', call)
      .then(() => refresh('/segments'))
      .catch(sayError);
  });
}
