import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { linkOf } from '../activity/activity-link.ts';
import { homeQueries } from './queries.ts';

/** Scheduled campaigns and waiting executions. */
export function Upcoming() {
  const projectId = useProjectId();
  // What is due leaves the list by itself.
  const query = useQuery({ ...homeQueries.upcoming, refetchInterval: 15_000 });
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
                  cell: (row) => {
                    const link = linkOf(projectId, row);
                    return link === null ? wordsOf(row) : <RowLink {...link}>{wordsOf(row)}</RowLink>;
                  },
                  isBreakable: true,
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

const wordsOf = ({ type, metadata, contactEmail }: Schema<'Activity'>): string =>
  type === 'campaign.scheduled'
    ? `The campaign “${String(metadata.campaignName)}” is sent`
    : `“${String(metadata.workflowName)}” continues for ${contactEmail ?? 'a deleted contact'}`;
