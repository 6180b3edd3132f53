import { useNavigate } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { count, rate, share } from '../../ui/numbers.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CampaignStatusBadge } from './campaign-status-badge.tsx';
import { isPartial } from './queries.ts';

type Campaign = Schema<'ListedCampaign'>;

export function CampaignTable({ campaigns }: { campaigns: Campaign[] }) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const to = '/projects/$projectId/campaigns/$campaignId';
  const columns: Column<Campaign>[] = [
    {
      header: 'Name',
      className: 'w-full max-w-0',
      cell: ({ id, name, subject }) => (
        <>
          <RowLink to={to} params={{ projectId, campaignId: id }} className="line-clamp-2 break-words">
            {name}
          </RowLink>
          <p className="truncate text-sm text-muted">{subject}</p>
        </>
      ),
    },
    { header: 'Status', cell: (campaign) => <Status campaign={campaign} /> },
    {
      header: 'Recipients',
      align: 'right',
      isSecondary: true,
      cell: (campaign) =>
        isPartial(campaign) ? <span className="text-faint">–</span> : count(campaign.totalRecipients),
    },
    {
      header: 'Opened',
      align: 'right',
      isSecondary: true,
      cell: (campaign) => shareOfSent(campaign, campaign.openedCount),
    },
    {
      header: 'Clicked',
      align: 'right',
      isSecondary: true,
      cell: (campaign) => shareOfSent(campaign, campaign.clickedCount),
    },
    { header: 'When', align: 'right', isSecondary: true, cell: (campaign) => <When campaign={campaign} /> },
  ];
  return (
    <Table
      label="Campaigns"
      rows={campaigns}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to, params: { projectId, campaignId: id } })}
    />
  );
}

function shareOfSent({ sentCount }: Campaign, part: number) {
  if (sentCount === 0) return <span className="text-faint">–</span>;
  return <span title={`${count(part)} of ${count(sentCount)} sent`}>{share(part, sentCount)}</span>;
}

function Status({ campaign: { status, progress } }: { campaign: Campaign }) {
  return (
    <span className="inline-flex items-center gap-2">
      <CampaignStatusBadge status={status} />
      {progress !== null && (
        <span className="text-sm text-muted" data-numeric>
          {rate(progress)}
        </span>
      )}
    </span>
  );
}

function When({ campaign: { status, scheduledFor, sentAt, updatedAt } }: { campaign: Campaign }) {
  if (status === 'SCHEDULED' && scheduledFor !== null)
    return (
      <>
        Leaves <Time at={scheduledFor} form="exact" />
      </>
    );
  if (sentAt !== null) return <Time at={sentAt} />;
  return (
    <span className="text-muted">
      Changed <Time at={updatedAt} />
    </span>
  );
}
