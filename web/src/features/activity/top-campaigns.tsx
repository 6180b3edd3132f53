import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count, quantity, rate } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import type { PeriodLength } from '../../ui/period.ts';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { analyticsQueries } from './queries.ts';

const orders = [
  { value: 'opens', label: 'By opens' },
  { value: 'clicks', label: 'By clicks' },
  { value: 'sent', label: 'By emails' },
] as const;

/** The report, or the emails of a deleted campaign. */
const linkTo = (projectId: string, { id, name }: { id: string; name: string | null }): LinkProps =>
  name === null
    ? { to: '/projects/$projectId/emails', params: { projectId }, search: { campaignId: id } }
    : { to: '/projects/$projectId/campaigns/$campaignId', params: { projectId, campaignId: id } };

export function TopCampaigns({ period }: { period: PeriodLength }) {
  const projectId = useProjectId();
  const [metric, setMetric] = useState<(typeof orders)[number]['value']>('opens');
  const query = useQuery(analyticsQueries(period).topCampaigns(metric));
  return (
    <Section
      title="Campaigns"
      actions={
        <Select
          label="Order"
          isLabelHidden
          className="w-32"
          options={orders}
          value={metric}
          onChange={setMetric}
        />
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No campaign was sent in this period.</p>
          ) : (
            <Table
              label="Campaigns"
              rows={data}
              idOf={({ id }) => id}
              columns={[
                {
                  header: 'Campaign',
                  className: 'w-full max-w-0 min-w-24',
                  cell: (campaign) => (
                    <RowLink {...linkTo(projectId, campaign)} className="block truncate">
                      {campaign.name ?? 'Deleted campaign'}
                    </RowLink>
                  ),
                },
                { header: 'Sent', align: 'right', cell: ({ sentCount }) => count(sentCount) },
                {
                  header: 'Opened',
                  align: 'right',
                  cell: ({ openedCount, openRate }) => (
                    <span title={quantity(openedCount, 'email')}>{rate(openRate)}</span>
                  ),
                },
                {
                  header: 'Clicked',
                  align: 'right',
                  cell: ({ clickedCount, clickRate }) => (
                    <span title={quantity(clickedCount, 'email')}>{rate(clickRate)}</span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
