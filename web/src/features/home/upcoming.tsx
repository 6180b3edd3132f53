import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { homeQueries } from './queries.ts';

/** Scheduled campaigns and waiting executions. */
export function Upcoming() {
  const query = useQuery(homeQueries.upcoming);
  return (
    <Section title="Coming up">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No campaign is scheduled, and no workflow waits for a time.</p>
          ) : (
            <Table
              label="Coming up"
              rows={data}
              idOf={({ id }) => id}
              columns={[
                {
                  header: 'What',
                  cell: ({ type, metadata, contactEmail }) =>
                    type === 'campaign.scheduled'
                      ? `Campaign ${String(metadata.campaignName)}`
                      : `${String(metadata.workflowName)} goes on for ${contactEmail ?? 'a deleted contact'}`,
                },
                { header: 'When', align: 'right', cell: ({ timestamp }) => <Time at={timestamp} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
