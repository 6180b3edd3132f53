import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { byCursor, onFirstPage } from '../../api/by-cursor.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';
import { ContactCell } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Pages } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BulkDialog } from '../contacts/bulk-dialog.tsx';
import { outcomeLabels, outcomes } from './outcomes.ts';
import { figuresQuery, recipientsInit, reportMs } from './queries.ts';

type Stats = operations['getCampaignsByIdStats']['responses'][200]['content']['application/json'];
type Recipient = Schema<'CampaignRecipient'>;

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');
const options = outcomes.map((value) => ({ value, label: outcomeLabels[value] }));

/** Recipients with their outcomes. */
export function RecipientSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const { id: campaignId, name } = campaign;
  const projectId = useProjectId();
  const { outcome } = route.useSearch();
  const navigate = route.useNavigate();
  const query = $api.useInfiniteQuery(
    'get',
    '/campaigns/{id}/recipients',
    recipientsInit(campaignId, outcome),
    { ...byCursor, refetchInterval: onFirstPage(reportMs) },
  );
  const searchedUntil = query.data?.pages.at(-1)?.searchedUntil;
  return (
    <Section
      title="Recipients"
      actions={
        <>
          <AddToSegment campaignId={campaignId} />
          <ExportButton
            label="Download CSV"
            read={() =>
              api.GET('/campaigns/{id}/recipients/export', {
                params: { path: { id: campaignId }, query: { outcome } },
                parseAs: 'blob',
              })
            }
            name={`${name.slice(0, 100)} recipients.csv`}
          />
          <TextLink to="/projects/$projectId/emails" params={{ projectId }} search={{ campaignId }}>
            Find a recipient
          </TextLink>
          <ChoiceFilter
            label="Outcome"
            every="All recipients"
            options={options}
            value={outcome}
            onChange={(value) =>
              void navigate({ search: (before) => ({ ...before, outcome: value }), resetScroll: false })
            }
            className="w-44"
          />
        </>
      }
    >
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          query.hasNextPage ? (
            <EmptyState
              title="No matches so far"
              action={
                <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
                  Keep searching
                </Button>
              }
            >
              {searchedUntil && <SearchedUntil at={searchedUntil} />}
            </EmptyState>
          ) : (
            <p className="text-muted">Nobody{outcome ? ' with this outcome' : ' yet'}.</p>
          )
        }
      >
        {(recipients) => (
          <>
            <RecipientTable recipients={recipients} />
            {searchedUntil && (
              <p className="text-center text-sm text-muted">
                <SearchedUntil at={searchedUntil} />
              </p>
            )}
          </>
        )}
      </Pages>
    </Section>
  );
}

/** Makes the recipients with the chosen outcome members of a static segment, such as to write to them again. */
function AddToSegment({ campaignId }: { campaignId: string }) {
  const { outcome } = route.useSearch();
  /** Their number when the dialog opened; null while it is closed. */
  const [started, setStarted] = useState<number | null>(null);
  const { data: stats } = useQuery(figuresQuery(campaignId));
  const total = stats === undefined ? 0 : withOutcome(stats, outcome);
  if (total === 0) return null;
  return (
    <>
      <Button onPress={() => setStarted(total)}>Add to a segment</Button>
      {started !== null && (
        <BulkDialog
          operation="add"
          target={{ campaignId, query: { outcome } }}
          total={started}
          isOpen
          onClose={() => setStarted(null)}
        />
      )}
    </>
  );
}

/** How many recipients have the outcome; 0 for those that never left, whose number is not known. */
function withOutcome(stats: Stats, outcome: (typeof outcomes)[number] | undefined): number {
  switch (outcome) {
    case undefined:
      return stats.totalRecipients;
    case 'unopened':
      return Math.max(0, stats.deliveredCount - stats.openedCount);
    case 'failed':
    case 'skipped':
    case 'pending':
      return 0;
    default:
      return stats[`${outcome}Count`];
  }
}

function SearchedUntil({ at }: { at: string }) {
  return (
    <>
      Searched recipients who became contacts by <Time at={at} form="exact" />.
    </>
  );
}

function RecipientTable({ recipients }: { recipients: Recipient[] }) {
  const columns: Column<Recipient>[] = [
    {
      header: 'Contact',
      isBreakable: true,
      cell: ({ contactId, email }) => <ContactCell contactId={contactId} email={email} />,
    },
    { header: 'Outcome', cell: (recipient) => <Outcome recipient={recipient} /> },
    { header: 'Opens', align: 'right', isSecondary: true, cell: ({ opens }) => count(opens) },
    { header: 'Clicks', align: 'right', isSecondary: true, cell: ({ clicks }) => count(clicks) },
    {
      header: 'Sent',
      align: 'right',
      isSecondary: true,
      cell: ({ sentAt }) => (sentAt === null ? <span className="text-faint">–</span> : <Time at={sentAt} />),
    },
  ];
  return <Table label="Recipients" rows={recipients} columns={columns} idOf={({ emailId }) => emailId} />;
}

/** The latest outcome, and the reason if the email failed. */
function Outcome({ recipient }: { recipient: Recipient }) {
  const { reason } = recipient;
  return (
    <>
      {outcomeLabels[outcomeOf(recipient)]}
      {reason !== null && <span className="block text-sm text-muted">{reason}</span>}
    </>
  );
}

function outcomeOf(recipient: Recipient): keyof typeof outcomeLabels {
  if (recipient.complainedAt !== null) return 'complained';
  if (recipient.bouncedAt !== null) return 'bounced';
  if (recipient.unsubscribedAt !== null) return 'unsubscribed';
  if (recipient.clickedAt !== null) return 'clicked';
  if (recipient.openedAt !== null) return 'opened';
  if (recipient.deliveredAt !== null) return 'delivered';
  if (recipient.status === 'FAILED') return 'failed';
  return recipient.status === 'SUPPRESSED' || recipient.status === 'CANCELLED' ? 'skipped' : 'pending';
}
