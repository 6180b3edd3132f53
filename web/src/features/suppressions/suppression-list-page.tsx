import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { byCursor } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { ContactCell } from '../../shell/contact-link.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { estimated } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { refreshContacts } from '../contacts/refresh-contacts.ts';

const route = getRouteApi('/signed-in/projects/$projectId/suppressions');

type Suppression = Schema<'Suppression'>;

const reasons = [
  { value: 'bounce', label: 'Hard bounce' },
  { value: 'complaint', label: 'Spam complaint' },
] as const;

export function SuppressionListPage() {
  const { reason, search } = route.useSearch();
  const navigate = route.useNavigate();
  const [released, setReleased] = useState<Suppression | null>(null);
  const query = $api.useInfiniteQuery(
    'get',
    '/suppressions',
    { params: { query: { reason, search, limit: 50 } } },
    byCursor,
  );
  const first = query.data?.pages[0];
  return (
    <Page
      title="Suppressions"
      description={
        first === undefined
          ? 'Addresses that hard-bounced or complained.'
          : `${estimated(first.total, first.totalAccuracy, 'address', 'addresses')} that hard-bounced or complained. No marketing email is sent there.`
      }
      toolbar={
        <>
          <ListSearch
            label="Address starts with"
            value={search}
            onChange={(text) =>
              void navigate({ search: (before) => ({ ...before, search: text }), replace: true })
            }
          />
          <ChoiceFilter
            label="Reason"
            every="All reasons"
            options={reasons}
            value={reason}
            onChange={(value) => void navigate({ search: (before) => ({ ...before, reason: value }) })}
            className="w-48"
          />
        </>
      }
    >
      <Pages
        query={query}
        rowsOf={(page) => page.data}
        empty={
          search === undefined && reason === undefined ? (
            <EmptyState title="Nothing is suppressed">Hard bounces and spam complaints show here.</EmptyState>
          ) : (
            <EmptyState title="No suppressed address matches">Change the search or the reason.</EmptyState>
          )
        }
      >
        {(rows) => <SuppressionTable rows={rows} onRelease={setReleased} />}
      </Pages>
      {released && <Release suppression={released} onClose={() => setReleased(null)} />}
    </Page>
  );
}

function SuppressionTable({
  rows,
  onRelease,
}: {
  rows: Suppression[];
  onRelease: (row: Suppression) => void;
}) {
  const columns: Column<Suppression>[] = [
    {
      header: 'Address',
      isBreakable: true,
      cell: ({ email, contactId, reason }) => (
        <>
          <ContactCell contactId={contactId} email={email} />
          <span className="mt-1 block md:hidden">
            <ReasonBadge reason={reason} />
          </span>
        </>
      ),
    },
    { header: 'Reason', isSecondary: true, cell: ({ reason }) => <ReasonBadge reason={reason} /> },
    { header: 'Since', isSecondary: true, cell: ({ suppressedAt }) => <Time at={suppressedAt} /> },
    {
      header: 'Release',
      isHeaderHidden: true,
      align: 'right',
      cell: (row) => (
        <Button look="quiet" aria-label={`Release ${row.email}`} onPress={() => onRelease(row)}>
          Release
        </Button>
      ),
    },
  ];
  return <Table label="Suppressions" rows={rows} columns={columns} idOf={({ contactId }) => contactId} />;
}

function ReasonBadge({ reason }: Pick<Suppression, 'reason'>) {
  return reason === 'bounce' ? (
    <Badge tone="bad">Hard bounce</Badge>
  ) : (
    <Badge tone="warn">Spam complaint</Badge>
  );
}

const warnings: Record<Suppression['reason'], string> = {
  bounce:
    'The mailbox did not exist. If it still does not, the next email bounces again and harms the reputation of your domain.',
  complaint: 'They reported an email as spam. Another report harms the reputation of your domain.',
};

function Release({ suppression, onClose }: { suppression: Suppression; onClose: () => void }) {
  const { email, reason } = suppression;
  const release = async () => {
    await api.DELETE('/suppressions/{email}', { params: { path: { email } } });
    await refreshContacts();
    say(`${email} is released`);
  };
  return (
    <ConfirmDialog title={`Release ${email}?`} action="Release" isOpen onClose={onClose} onConfirm={release}>
      <p>{warnings[reason]}</p>
      <p className="mt-2">They stay unsubscribed from marketing until they subscribe again.</p>
    </ConfirmDialog>
  );
}
