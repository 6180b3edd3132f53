import { useQuery } from '@tanstack/react-query';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { isPartial } from '../campaigns/queries.ts';
import { homeQueries } from './queries.ts';

/** Campaigns being sent. */
export function SendingNow() {
  const projectId = useProjectId();
  const query = useQuery({ ...homeQueries.sending, refetchInterval: 3_000 });
  return (
    <Section title="Sending now">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No campaign is being sent.</p>
          ) : (
            <Table
              label="Campaigns being sent"
              rows={data}
              idOf={({ id }) => id}
              columns={[
                {
                  header: 'Campaign',
                  cell: ({ id, name }) => (
                    <RowLink
                      to="/projects/$projectId/campaigns/$campaignId"
                      params={{ projectId, campaignId: id }}
                    >
                      {name}
                    </RowLink>
                  ),
                },
                {
                  header: 'Sent',
                  align: 'right',
                  cell: (campaign) =>
                    isPartial(campaign)
                      ? `${count(campaign.sentCount)} so far`
                      : `${count(campaign.sentCount)} of ${count(campaign.totalRecipients)}`,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
