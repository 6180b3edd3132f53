import { $api } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { changeText } from './metrics.ts';

export function TopEvents({ startDate }: { startDate: string }) {
  const projectId = useProjectId();
  const query = $api.useQuery('get', '/analytics/top-events', {
    params: { query: { startDate, limit: 10 } },
  });
  return (
    <Section title="Events">
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <p className="text-muted">No event happened in this period.</p>
          ) : (
            <Table
              label="Events"
              rows={events}
              idOf={({ name }) => name}
              columns={[
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
                { header: 'Times', align: 'right', cell: (event) => count(event.count) },
                { header: 'Before', align: 'right', cell: (event) => count(event.previousCount) },
                {
                  header: 'Change',
                  align: 'right',
                  className: 'whitespace-nowrap',
                  cell: (event) => changeText(event.count, event.previousCount),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
